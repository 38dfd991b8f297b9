import os

os.environ["CXX"] = "g++"  # on the PATH

from torch._inductor.cpp_builder import get_cpp_compiler  # what torch.compile calls before it compiles any C++

print(get_cpp_compiler())
