import os

os.environ["CXX"] = "/opt/gcc-14/bin/g++"  # no such file

from torch._inductor.cpp_builder import get_cpp_compiler  # what torch.compile calls before it compiles any C++

print(get_cpp_compiler())
