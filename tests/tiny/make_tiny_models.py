#!/usr/bin/env python3
"""Makes the tiny models of tests/data/tiny and the logits that they must give.

Each is a random model of a Hugging Face class, written as GGUF (float32) with the names and conventions
that llama.cpp's converter uses. NAME.gguf is the model, NAME.expected.gguf holds cases: the token ids, the
context to run with (0: as trained) and float32 logits at all positions, computed by transformers with eager
attention.

Weights are scaled until the logits' standard deviation is at least 1: the default initialization is flat
and hides faults. Sequences are longer than the sliding windows, than the context before rotary scaling, and
than a KV page.

  python3 -m venv venv && venv/bin/pip install torch==2.13.0 transformers==5.24.0
  venv/bin/python tests/tiny/make_tiny_models.py tests/data/tiny [NAME…]
"""

import math
import sys
from pathlib import Path

import torch
import transformers as hf

from conversion import (
    HEADS,
    HEAD_DIM,
    FF,
    KV_HEADS,
    ORIGINAL,
    PLAIN,
    SANDWICH,
    TOKENS,
    VOCABULARY,
    WIDTH,
    WINDOW,
    llama3_factors,
    make,
)


def sizes(layers=2, **more):
    base = dict(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        intermediate_size=FF,
        num_hidden_layers=layers,
        num_attention_heads=HEADS,
        num_key_value_heads=KV_HEADS,
        max_position_embeddings=256,
        rms_norm_eps=1e-5,
        tie_word_embeddings=False,
        attn_implementation="eager",
        pad_token_id=None,
        bos_token_id=1,
        eos_token_id=2,
    )
    return base | more


def rope(base, **more):
    return {"rope_type": "default", "rope_theta": base} | more


LLAMA3 = dict(
    rope_type="llama3",
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=ORIGINAL,
)
KEYS = {"attention.key_length": HEAD_DIM, "attention.value_length": HEAD_DIM}


def llama(folder):
    config = hf.LlamaConfig(**sizes(rope_parameters=rope(10000.0, **LLAMA3)))
    make(
        folder,
        "llama",
        hf.LlamaForCausalLM(config),
        "llama",
        {"rope.freq_base": 10000.0, "rope.dimension_count": HEAD_DIM},
        permute=True,
        tensors={"rope_freqs.weight": llama3_factors(LLAMA3, 10000.0, HEAD_DIM)},
    )


def llama_bias(folder):
    config = hf.LlamaConfig(
        **sizes(attention_bias=True, mlp_bias=True, head_dim=12, rope_parameters=rope(500.0))
    )
    make(
        folder,
        "llama-bias",
        hf.LlamaForCausalLM(config),
        "llama",
        {
            "rope.freq_base": 500.0,
            "rope.dimension_count": 12,
            "attention.key_length": 12,
            "attention.value_length": 12,
        },
        permute=True,
    )


def mistral(folder):
    config = hf.MistralConfig(
        **sizes(sliding_window=WINDOW, head_dim=HEAD_DIM, rope_parameters=rope(10000.0))
    )
    make(
        folder,
        "mistral",
        hf.MistralForCausalLM(config),
        "llama",
        {"rope.freq_base": 10000.0, "attention.sliding_window": WINDOW},
        permute=True,
    )


def mixtral(folder):
    config = hf.MixtralConfig(
        **sizes(
            num_local_experts=4,
            num_experts_per_tok=2,
            sliding_window=None,
            head_dim=HEAD_DIM,
            rope_parameters=rope(10000.0),
        )
    )
    make(
        folder,
        "mixtral",
        hf.MixtralForCausalLM(config),
        "llama",
        {"rope.freq_base": 10000.0, "expert_count": 4, "expert_used_count": 2},
        permute=True,
    )


def qwen2(folder):
    config = hf.Qwen2Config(**sizes(tie_word_embeddings=True, rope_parameters=rope(1000000.0)))
    make(folder, "qwen2", hf.Qwen2ForCausalLM(config), "qwen2", {"rope.freq_base": 1000000.0})


def qwen2_yarn(folder):
    scaling = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=ORIGINAL)
    config = hf.Qwen2Config(**sizes(max_position_embeddings=128, rope_parameters=rope(10000.0, **scaling)))
    make(
        folder,
        "qwen2-yarn",
        hf.Qwen2ForCausalLM(config),
        "qwen2",
        {
            "rope.freq_base": 10000.0,
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": 4.0,
            "rope.scaling.original_context_length": ORIGINAL,
        },
    )


def qwen3(folder):
    config = hf.Qwen3Config(**sizes(head_dim=12, rope_parameters=rope(1000000.0)))
    make(
        folder,
        "qwen3",
        hf.Qwen3ForCausalLM(config),
        "qwen3",
        {"rope.freq_base": 1000000.0, "attention.key_length": 12, "attention.value_length": 12},
    )


def qwen3moe(folder):
    config = hf.Qwen3MoeConfig(
        **sizes(
            head_dim=HEAD_DIM,
            num_experts=6,
            num_experts_per_tok=3,
            moe_intermediate_size=16,
            norm_topk_prob=True,
            rope_parameters=rope(1000000.0),
        )
    )
    make(
        folder,
        "qwen3moe",
        hf.Qwen3MoeForCausalLM(config),
        "qwen3moe",
        {
            "rope.freq_base": 1000000.0,
            "expert_count": 6,
            "expert_used_count": 3,
            "expert_feed_forward_length": 16,
        }
        | KEYS,
    )


def gemma2(folder):
    config = hf.Gemma2Config(
        **sizes(
            layers=3,
            tie_word_embeddings=True,
            head_dim=HEAD_DIM,
            query_pre_attn_scalar=HEAD_DIM,
            sliding_window=WINDOW,
            attn_logit_softcapping=4.0,
            final_logit_softcapping=3.0,
            hidden_activation="gelu_pytorch_tanh",
            rope_parameters=rope(10000.0),
        )
    )
    make(
        folder,
        "gemma2",
        hf.Gemma2ForCausalLM(config),
        "gemma2",
        {"attention.sliding_window": WINDOW, "attn_logit_softcapping": 4.0, "final_logit_softcapping": 3.0}
        | KEYS,
        names=SANDWICH,
        one_plus_norms=True,
    )


def gemma3(folder):
    ropes = {
        "sliding_attention": rope(100.0),
        "full_attention": rope(1000000.0, rope_type="linear", factor=8.0),
    }
    config = hf.Gemma3TextConfig(
        **sizes(
            layers=7,
            intermediate_size=32,
            tie_word_embeddings=True,
            head_dim=HEAD_DIM,
            query_pre_attn_scalar=HEAD_DIM,
            sliding_window=WINDOW,
            hidden_activation="gelu_pytorch_tanh",
            rope_parameters=ropes,
        )
    )
    make(
        folder,
        "gemma3",
        hf.Gemma3ForCausalLM(config),
        "gemma3",
        {
            "attention.sliding_window": WINDOW,
            "rope.freq_base": 1000000.0,
            "rope.freq_base_swa": 100.0,
            "rope.scaling.type": "linear",
            "rope.scaling.factor": 8.0,
        }
        | KEYS,
        names=SANDWICH,
        one_plus_norms=True,
    )


def phi3(folder):
    config = hf.Phi3Config(**sizes(sliding_window=WINDOW, rope_parameters=rope(10000.0)))
    make(
        folder,
        "phi3",
        hf.Phi3ForCausalLM(config),
        "phi3",
        {"rope.freq_base": 10000.0, "attention.sliding_window": WINDOW, "rope.dimension_count": HEAD_DIM},
    )


def phi3_longrope(folder):
    dim = 6  # three quarters of a head
    short, long = [1.0, 1.3, 1.7], [1.5, 4.0, 12.0]
    scaling = dict(
        rope_type="longrope",
        short_factor=short,
        long_factor=long,
        partial_rotary_factor=0.75,
        original_max_position_embeddings=ORIGINAL,
    )
    config = hf.Phi3Config(
        **sizes(
            sliding_window=None,
            max_position_embeddings=128,
            original_max_position_embeddings=ORIGINAL,
            rope_parameters=rope(100.0, **scaling),
        )
    )
    factor = math.sqrt(1 + math.log(128 / ORIGINAL) / math.log(ORIGINAL))
    make(
        folder,
        "phi3-longrope",
        hf.Phi3ForCausalLM(config),
        "phi3",
        {
            "rope.freq_base": 100.0,
            "rope.dimension_count": dim,
            "rope.scaling.attn_factor": factor,
            "rope.scaling.original_context_length": ORIGINAL,
        },
        tensors={
            "rope_factors_long.weight": torch.tensor(long),
            "rope_factors_short.weight": torch.tensor(short),
        },
        cases=[(TOKENS, 0), (ORIGINAL - 2, ORIGINAL)],
    )


def smollm3(folder):
    config = hf.SmolLM3Config(**sizes(layers=5, intermediate_size=32, rope_parameters=rope(2000000.0)))
    make(
        folder,
        "smollm3",
        hf.SmolLM3ForCausalLM(config),
        "smollm3",
        {"rope.freq_base": 2000000.0},
        permute=True,
    )


def exaone(folder):
    """EXAONE 3.5 is Llama with other names; its converter leaves the rows of q and k as they are."""
    config = hf.LlamaConfig(**sizes(rope_parameters=rope(10000.0, **LLAMA3)))
    make(
        folder,
        "exaone",
        hf.LlamaForCausalLM(config),
        "exaone",
        {"rope.freq_base": 10000.0, "rope.dimension_count": HEAD_DIM},
        tensors={"rope_freqs.weight": llama3_factors(LLAMA3, 10000.0, HEAD_DIM)},
    )


POST = PLAIN | {
    "post_attention_layernorm": "post_attention_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}


def exaone4(folder):
    types = ["sliding_attention"] * 3 + ["full_attention"]
    config = hf.Exaone4Config(
        **sizes(
            layers=4,
            head_dim=HEAD_DIM,
            sliding_window=WINDOW,
            layer_types=types,
            sliding_window_pattern=4,
            rope_parameters=rope(10000.0, **LLAMA3),
        )
    )
    make(
        folder,
        "exaone4",
        hf.Exaone4ForCausalLM(config),
        "exaone4",
        {
            "rope.freq_base": 10000.0,
            "attention.sliding_window": WINDOW,
            "attention.sliding_window_pattern": [t == "sliding_attention" for t in types],
        }
        | KEYS,
        names=POST,
        tensors={"rope_freqs.weight": llama3_factors(LLAMA3, 10000.0, HEAD_DIM)},
    )


def exaone4_small(folder):
    config = hf.Exaone4Config(
        **sizes(
            tie_word_embeddings=True,
            head_dim=HEAD_DIM,
            sliding_window=None,
            layer_types=["full_attention"] * 2,
            rope_parameters=rope(10000.0),
        )
    )
    make(
        folder,
        "exaone4-small",
        hf.Exaone4ForCausalLM(config),
        "exaone4",
        {"rope.freq_base": 10000.0} | KEYS,
        names=POST,
    )


MODELS = [
    llama,
    llama_bias,
    mistral,
    mixtral,
    qwen2,
    qwen2_yarn,
    qwen3,
    qwen3moe,
    gemma2,
    gemma3,
    phi3,
    phi3_longrope,
    smollm3,
    exaone,
    exaone4,
    exaone4_small,
]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for build in MODELS:
        if len(sys.argv) < 3 or build.__name__.replace("_", "-") in sys.argv[2:]:
            build(folder)


if __name__ == "__main__":
    main()
