"""Contact-aware nonlinear control [Muico2009]: a policy that looks ahead, and its adaptation to contacts."""
