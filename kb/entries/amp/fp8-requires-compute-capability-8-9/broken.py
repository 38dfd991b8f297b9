import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def quantize(source, target):
    tl.store(target, tl.load(source).to(tl.float8e4nv))


kernel = triton.compiler.ASTSource(quantize, signature={"source": "*fp32", "target": "*fp8e4nv"})
triton.compile(kernel, target=GPUTarget("cuda", 86, 32))  # compute capability 8.6: RTX 3090, A10
