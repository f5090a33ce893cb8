"""Export of recordings and motions to animation, table, page, picture and video formats."""
