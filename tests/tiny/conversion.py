"""Random weights for a Hugging Face model, and its conversion to GGUF with the logits it gives."""

import math

import torch

from gguf_file import Gguf

WIDTH, VOCABULARY, TOKENS = 32, 64, 80
HEADS, KV_HEADS, HEAD_DIM, FF = 4, 2, 8, 48
WINDOW, ORIGINAL = 20, 32


def randomize(model, seed, one_plus_norms):
    """Sharp attention, norms and biases that matter, logits with a spread above 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if name.endswith("bias"):
                weight.copy_(0.3 * noise)
            elif weight.dim() == 1:
                weight.copy_(0.3 * noise + (0.0 if one_plus_norms else 1.0))
            elif "embed_tokens" in name or "lm_head" in name:
                weight.copy_(noise * (0.5 if "embed_tokens" in name else 2 / math.sqrt(WIDTH)))
            else:
                gain = 2.0 if ("q_proj" in name or "k_proj" in name or "qkv" in name) else 1.4
                weight.copy_(gain * noise / math.sqrt(weight.shape[-1]))
        model.tie_weights()


def permuted(weight, heads):
    """Rows reordered from pairs (i, i + dim/2) to (2i, 2i+1), as the converter does for Llama."""
    return (
        weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:])
        .swapaxes(1, 2)
        .reshape(weight.shape)
    )


def llama3_factors(scaling, base, dim):
    factors = []
    for i in range(dim // 2):
        wavelength = 2 * math.pi * base ** (2 * i / dim)
        original = scaling["original_max_position_embeddings"]
        low, high = original / scaling["low_freq_factor"], original / scaling["high_freq_factor"]
        if wavelength < high:
            factors.append(1.0)
        elif wavelength > low:
            factors.append(scaling["factor"])
        else:
            smooth = (original / wavelength - scaling["low_freq_factor"]) / (
                scaling["high_freq_factor"] - scaling["low_freq_factor"]
            )
            factors.append(1 / ((1 - smooth) / scaling["factor"] + smooth))
    return torch.tensor(factors)


PLAIN = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "self_attn.qkv_proj": "attn_qkv",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate_up_proj": "ffn_up",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate": "ffn_gate_inp",
}
SANDWICH = PLAIN | {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}


def convert(gguf, model, names, permute, one_plus_norms):
    config = model.config
    for name, weight in model.named_parameters():
        if one_plus_norms and "norm" in name:
            weight = weight + 1
        if name == "model.embed_tokens.weight":
            gguf.tensor("token_embd.weight", weight)
        elif name == "model.norm.weight":
            gguf.tensor("output_norm.weight", weight)
        elif name == "lm_head.weight":
            gguf.tensor("output.weight", weight)
        else:
            _, _, layer, rest = name.split(".", 3)
            if rest.endswith("experts.gate_up_proj"):  # [experts, 2 ff, width]
                gate, up = weight.chunk(2, dim=1)
                gguf.tensor(f"blk.{layer}.ffn_gate_exps.weight", gate)
                gguf.tensor(f"blk.{layer}.ffn_up_exps.weight", up)
                continue
            if rest.endswith("experts.down_proj"):
                gguf.tensor(f"blk.{layer}.ffn_down_exps.weight", weight)
                continue
            module, kind = rest.rsplit(".", 1)
            if permute and module == "self_attn.q_proj":
                weight = permuted(weight, config.num_attention_heads)
            if permute and module == "self_attn.k_proj":
                weight = permuted(weight, config.num_key_value_heads)
            gguf.tensor(f"blk.{layer}.{names[module]}.{kind}", weight)


def make(
    folder,
    name,
    model,
    arch,
    values,
    names=PLAIN,
    permute=False,
    one_plus_norms=False,
    tensors=None,
    cases=None,
):
    seed = sum(ord(c) * (i + 1) for i, c in enumerate(name))
    model.eval()
    randomize(model, seed, one_plus_norms)
    config = model.config
    gguf = Gguf()
    gguf.add("general.architecture", arch)
    base = {
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "block_count": config.num_hidden_layers,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": float(config.rms_norm_eps),
    }
    for key, value in (base | values).items():
        gguf.add(f"{arch}.{key}", value)
    for key, value in (tensors or {}).items():
        gguf.tensor(key, value)
    convert(gguf, model, names, permute, one_plus_norms)
    gguf.write(folder / f"{name}.gguf")

    expected = Gguf()
    expected.add("general.architecture", "expected")
    generator = torch.Generator().manual_seed(seed + 1)
    spread = 0.0
    for i, (tokens, context) in enumerate(cases or [(TOKENS, 0)]):
        ids = torch.randint(0, VOCABULARY, (1, tokens), generator=generator)
        with torch.no_grad():
            logits = model(ids, use_cache=False).logits[0]
        expected.add(f"case.{i}.tokens", ids[0].tolist())
        expected.add(f"case.{i}.context", context)
        expected.tensor(f"case.{i}.logits", logits)
        spread = logits.std().item()
        assert spread >= 1, (name, spread)
    expected.write(folder / f"{name}.expected.gguf")
    print(
        f"{name:16} {sum(p.numel() for p in model.parameters()):7} parameters, logits' deviation {spread:.2f}"
    )
