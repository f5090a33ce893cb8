"""Contact-aware nonlinear control [Muico2009]: a look-ahead policy (NQR), and its adaptation to contacts."""
