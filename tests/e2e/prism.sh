#!/usr/bin/env bash
# Checks the requests of the review bot against GitHub's own description. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
MMCODEMOD_E2E=1 exec "${PYTHON:-python}" -m pytest tests/e2e/test_prism.py tests/e2e/test_pull_request.py "$@"
