"""Walking by an inverted pendulum model [Tsai2010].

Values marked "adult" hold for a leg of `legs.ADULT` metres: such lengths scale with `Legs.scale`, times and speeds with
`Legs.slow`. Values "in leg lengths" are multiplied by the length of the leg.
"""
