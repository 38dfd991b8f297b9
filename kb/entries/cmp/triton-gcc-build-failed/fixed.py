import pathlib
import subprocess

folder = pathlib.Path.cwd()
(folder / "main.c").write_text("int cuInit(unsigned); int init(void) { return cuInit(0); }")
# What a driver installs: the library under its full name, and no libcuda.so for the linker.
subprocess.check_call(["gcc", "-x", "c", "/dev/null", "-shared", "-o", "libcuda.so.1"])
(folder / "libcuda.so").symlink_to("libcuda.so.1")  # the name that -lcuda looks for

# What Triton runs before its first kernel.
subprocess.check_call(["gcc", str(folder / "main.c"), "-shared", "-fPIC", f"-L{folder}", "-lcuda", "-o", "launcher.so"])
