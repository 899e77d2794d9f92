#!/usr/bin/env bash
# Holds exported ONNX and safetensors files against the program's own answers, with the PyPI packages that read them.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../common.sh"
work="$clients/onnx"
need_python "$work" numpy==2.4.6 onnx==1.23.2 onnxruntime==1.31.1 safetensors==0.8.0
build_program
"$work/bin/python" "$here/check.py" "$program" "$root/configs"
