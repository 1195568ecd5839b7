"""An example, as a notebook would have it: the denominators of a softmax, in one pass over the logits."""

import numpy as np
import reducegen as rg


def test_softmax_denominators():
    # Logits of four tokens over a vocabulary of 50,257.
    logits = np.random.default_rng(0).normal(0, 10, (4, 50_257)).astype(np.float32)

    # The largest logit and the sum of exp(x - largest), of each token.
    top = rg.softmax_denominator(logits, axis=1)
    assert top.max.shape == top.sum.shape == (4,)

    probabilities = np.exp(logits - top.max[:, None]) / top.sum[:, None]
    assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-5

    # The loss of each token, from the same pass.
    chosen = rg.argmax(logits, axis=1)
    loss = np.log(top.sum) + top.max - logits[np.arange(4), chosen]
    np.testing.assert_allclose(loss, -np.log(probabilities[np.arange(4), chosen]), atol=1e-5)

    # A specification of one's own: the same law with a temperature that the call gives.
    hot = rg.reduction("ty: f32, params: { t: f32 }, map: |x| x / t, op: logsumexp, axes: token word -> token")
    np.testing.assert_allclose(hot(logits, t=1), np.log(top.sum) + top.max, rtol=1e-6)
    assert (hot(logits, t=2) < hot(logits, t=1)).all()
