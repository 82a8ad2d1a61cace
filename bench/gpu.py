"""Times PyTorch on a device on the cases of gpu.lua, in the same way, and prints the same lines.

usage: gpu.py [device] [substring of case names]
"""

import os
import sys
import time

import torch
import torch.nn.functional as F

device = sys.argv[1] if len(sys.argv) > 1 else "cuda"
wanted = sys.argv[2] if len(sys.argv) > 2 else ""
small_sizes = device == "cpu"
torch.set_grad_enabled(False)
if device != "cpu" and not torch.cuda.is_available():
    sys.exit("gpu.py: PyTorch finds no GPU")
print(f"device {torch.cuda.get_device_name(device) if device != 'cpu' else 'cpu'} 0")


def synchronize():
    if device != "cpu":
        torch.cuda.synchronize()


def timed(run, calls):
    synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        run()
    synchronize()
    return time.perf_counter() - start


def measure(name, amount, unit, run):
    if wanted not in name:
        return
    timed(run, 3)
    calls = 1
    least = 0.001 if small_sizes else 0.02
    while True:
        elapsed = timed(run, calls)
        if elapsed > least:
            break
        calls = min(int(calls * max(2, least / max(elapsed, 1e-9))) + 1, 2**20)
    rounds = sorted(timed(run, calls) / calls * 1e9 for _ in range(7))
    print(f"{name}\t{rounds[3]:.1f}\t{amount:.0f}\t{unit}", flush=True)


def floats(*sizes):
    return torch.rand(*sizes, device=device)


small, other = floats(4), floats(4)
measure("a:add(1), n = 4", 0, "-", lambda: small.add_(1))
measure("a:add(b), n = 4", 0, "-", lambda: small.add_(other))
measure("a + b, n = 4", 0, "-", lambda: small + other)
measure("sum of a, n = 4, read", 0, "-", lambda: small.sum().item())

power = 14 if small_sizes else 26
n, label = 2**power, f"2^{power}"
a, b, c = floats(n), floats(n), floats(n)
measure("add(c, a, b) " + label, 12 * n, "B", lambda: torch.add(a, b, out=c))
measure("a + b " + label, 12 * n, "B", lambda: a + b)
measure("exp(c, a) " + label, 8 * n, "B", lambda: torch.exp(a, out=c))
measure("tanh(c, a) " + label, 8 * n, "B", lambda: torch.tanh(a, out=c))
measure("copy " + label, 8 * n, "B", lambda: c.copy_(a))
measure("sum " + label, 4 * n, "B", lambda: a.sum().item())
measure("max " + label, 4 * n, "B", lambda: a.max().item())
measure("uniform " + label, 4 * n, "B", lambda: c.uniform_())
measure("normal " + label, 4 * n, "B", lambda: c.normal_())
# Not compiled by PyTorch.
measure("a*b + exp(-c/2), fused " + label, 16 * n, "B", lambda: a * b + torch.exp(-c / 2))
a2, b2, c2 = (t.view(-1, 2)[:, 0] for t in (a, b, c))
measure(
    f"add(c, a, b), stride 2, 2^{power - 1}", 12 * n, "B", lambda: torch.add(a2, b2, out=c2)
)
ha, hb, hc = a.half(), b.half(), c.half()
measure("add(c, a, b), half " + label, 6 * n, "B", lambda: torch.add(ha, hb, out=hc))

side = 128 if small_sizes else 8192
square = f"{side}x{side}"
m, to = floats(side, side), floats(side, side)
row, column = floats(1, side), floats(side, 1)
size = 4 * side * side
measure("sum over rows " + square, size, "B", lambda: torch.sum(m, 0, keepdim=True, out=row))
measure("sum over columns " + square, size, "B", lambda: torch.sum(m, 1, keepdim=True, out=column))
measure("copy of the transpose " + square, 2 * size, "B", lambda: to.copy_(m.t()))
measure("add a row " + square, 2 * size, "B", lambda: torch.add(m, row, out=to))
measure("softmax " + square, 2 * size, "B", lambda: torch.softmax(m, 1, out=to))
measure("layerNorm " + square, 2 * size, "B", lambda: F.layer_norm(m, (side,)))
measure("cumsum " + square, 2 * size, "B", lambda: torch.cumsum(m, 1, out=to))
measure("cumsum " + label, 8 * n, "B", lambda: torch.cumsum(a, 0, out=c))
measure("cummax " + square, 4 * size, "B", lambda: torch.cummax(m, 1))

batch, heads, rows, depth = (2, 2, 32, 64) if small_sizes else (16, 12, 512, 64)
q, k, v, gradient = (floats(batch, heads, rows, depth) for _ in range(4))
work = 4 * batch * heads * rows * rows * depth
attended = f" {batch}x{heads}x{rows}x{depth}"
attention = F.scaled_dot_product_attention
measure("attention" + attended, work, "F", lambda: attention(q, k, v))
measure("attention, causal" + attended, work / 2, "F", lambda: attention(q, k, v, is_causal=True))


def attention_and_gradients():
    with torch.enable_grad():
        operands = [t.detach().requires_grad_() for t in (q, k, v)]
        return torch.autograd.grad(attention(*operands), operands, gradient)


measure("attention and gradients" + attended, 3.5 * work, "F", attention_and_gradients)

sort_power = 10 if small_sizes else 24
count, sort_label = 2**sort_power, f"2^{sort_power}"
keys = floats(count)
measure("sort " + sort_label, 0, "-", lambda: torch.sort(keys))
measure("topk, 100 of " + sort_label, 4 * count, "B", lambda: torch.topk(keys, 100))
measure("kthvalue " + sort_label, 4 * count, "B", lambda: torch.kthvalue(keys, count // 4))
measure("median " + sort_label + ", read", 4 * count, "B", lambda: keys.median().item())
bins, first = floats(1000), torch.zeros(count, dtype=torch.long, device=device)
same = torch.full((count,), 0.5, device=device)
measure(
    "scatterAdd to one bin " + sort_label,
    12 * count,
    "B",
    lambda: bins.scatter_add_(0, first, keys),
)
measure(
    "indexAdd to one bin " + sort_label,
    12 * count,
    "B",
    lambda: bins.index_add_(0, first, keys),
)
measure("histc, one bin " + sort_label, 4 * count, "B", lambda: torch.histc(same, 1000, 0, 1))
measure(
    "bincount, one bin " + sort_label, 8 * count, "B", lambda: torch.bincount(first, minlength=1000)
)
picks = torch.randint(0, count, (count,), device=device)
picked = floats(count)
measure("gather " + sort_label, 16 * count, "B", lambda: torch.gather(keys, 0, picks, out=picked))
measure(
    "index " + sort_label, 16 * count, "B", lambda: torch.index_select(keys, 0, picks, out=picked)
)

for edge in (64,) if small_sizes else (64, 1024, 8192):
    for kind, dtype in (("float", torch.float32), ("half", torch.float16)):
        x, y = floats(edge, edge).to(dtype), floats(edge, edge).to(dtype)
        z = torch.zeros_like(x)
        measure(
            f"mm, {kind} {edge}x{edge}", 2 * edge**3, "F", lambda: torch.mm(x, y, out=z)
        )
batches = 4 if small_sizes else 256
bx, by, bz = (floats(batches, 128, 128) for _ in range(3))
measure(
    f"bmm {batches}x128x128", 2 * batches * 128**3, "F", lambda: torch.bmm(bx, by, out=bz)
)
vector, product = floats(side), floats(side)
measure("mv " + square, size, "B", lambda: torch.mv(m, vector, out=product))

for matrices, edge in ((1, 64), (4, 16)) if small_sizes else ((1, 2048), (1024, 32)):
    of = f" {matrices}x{edge}x{edge}"
    regular = floats(matrices, edge, edge) + edge * torch.eye(edge, device=device)
    positive = regular + regular.mT
    sides = floats(matrices, edge, 1)
    measure("solve" + of, 0, "-", lambda: torch.linalg.solve(regular, sides))
    measure("inverse" + of, 0, "-", lambda: torch.linalg.inv(regular))
    measure("cholesky" + of, 0, "-", lambda: torch.linalg.cholesky(positive))
    measure("qr" + of, 0, "-", lambda: torch.linalg.qr(regular))
    measure("eigh" + of, 0, "-", lambda: torch.linalg.eigh(positive))
    measure("svd" + of, 0, "-", lambda: torch.linalg.svd(regular, full_matrices=False))
lines = 16 if small_sizes else 2**14
signals, spectra = floats(lines, 1024), torch.view_as_complex(floats(lines, 1000, 2))
measure(f"rfft {lines}x1024", 8 * 1024 * lines, "B", lambda: torch.fft.rfft(signals))
measure(f"fft {lines}x1000", 16 * 1000 * lines, "B", lambda: torch.fft.fft(spectra))

# As for products, floats are not rounded to TF32.
torch.backends.cudnn.allow_tf32 = False
convolutions = (
    (3, 64, 224, 7, 2, 3, 1),
    (64, 64, 56, 3, 1, 1, 1),
    (256, 256, 14, 3, 1, 1, 1),
    (64, 256, 56, 1, 1, 0, 1),
    (256, 512, 56, 1, 2, 0, 1),
    (256, 256, 28, 3, 1, 1, 256),
)
for inputs, outputs, width, kernel, stride, padding, groups in (
    ((8, 8, 14, 3, 1, 1, 1),) if small_sizes else convolutions
):
    images = 2 if small_sizes else 32
    result = (width + 2 * padding - kernel) // stride + 1
    work = 2 * images * outputs * (inputs // groups) * kernel**2 * result**2
    shape = f"{inputs} to {outputs}, {kernel}x{kernel} of {width}x{width}"
    for kind, dtype in (("float", torch.float32), ("half", torch.float16)):
        x = floats(images, inputs, width, width).to(dtype)
        g = floats(images, outputs, result, result).to(dtype)
        weight = floats(outputs, inputs // groups, kernel, kernel).to(dtype)

        def slopes(of_input):
            return torch.ops.aten.convolution_backward(
                g, x, weight, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], groups,
                [of_input, not of_input, False],
            )

        def convolve():
            return torch.conv2d(x, weight, None, stride, padding, 1, groups)

        suffix = f", {kind}, {shape}"
        measure("conv2d" + suffix, work, "F", convolve)
        measure("conv2d, gradient of the input" + suffix, work, "F", lambda: slopes(True))
        measure(
            "conv2d and gradient of the weight" + suffix,
            2 * work,
            "F",
            lambda: (convolve(), slopes(False)),
        )

# Not compiled by PyTorch, which takes minutes.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "suite"))
import training  # noqa: E402


def indices(count, span):
    return torch.randint(0, span, (count,), device=device)


for model, samples in (
    (("mlp", 8),)
    if small_sizes
    else (("mlp", 128), ("lenet", 64), ("lstm", 64), ("transformer", 32))
):
    for suffix in ("", ", compiled"):
        name = f"step of {model}{suffix}"
        if wanted in name:
            with torch.device(device):
                step = training.training_step(floats, indices, model, samples, False)
            measure(name, 0, "-", step)
torch.set_grad_enabled(False)

# A decoder of GPT-2's size with random weights, as examples/lib/gpt.lua has it.
if any(wanted in name for name in ("decoder, prompt", "decoder, token")):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "generate"))
    from model import Model

    vocabulary, positions, width, layers = 50257, 1024, 768, 12
    if small_sizes:
        vocabulary, positions, width, layers = 40, 32, 16, 2
    shapes = {"wte.weight": (vocabulary, width), "wpe.weight": (positions, width)}

    def add_layer(name, outputs, inputs):
        shapes[name + ".weight"] = (outputs, inputs) if inputs else (outputs,)
        shapes[name + ".bias"] = (outputs,)

    for layer in (f"h.{k}." for k in range(layers)):
        add_layer(layer + "ln_1", width, 0)
        add_layer(layer + "attn.c_attn", 3 * width, width)
        add_layer(layer + "attn.c_proj", width, width)
        add_layer(layer + "ln_2", width, 0)
        add_layer(layer + "mlp.c_fc", 4 * width, width)
        add_layer(layer + "mlp.c_proj", width, 4 * width)
    add_layer("ln_f", width, 0)
    weights = {name: torch.randn(shape, device=device) / 20 for name, shape in shapes.items()}
    size = sum(4 * weight.numel() for weight in weights.values())
    with torch.device(device):
        decoder = Model(weights)
    prompt = torch.arange(16 if small_sizes else 128, device=device)
    token = torch.zeros(1, dtype=torch.long, device=device)
    measure("decoder, prompt", 0, "-", lambda: decoder.scores(prompt, 0).argmax().item())
    measure(
        "decoder, token", size, "B", lambda: decoder.scores(token, prompt.shape[0]).argmax().item()
    )

host = torch.rand(n)
there = floats(n)
measure("host to device " + label, 4 * n, "B", lambda: there.copy_(host))
measure("device to host " + label, 4 * n, "B", lambda: host.copy_(there))
