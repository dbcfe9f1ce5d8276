return {1, {nil, 2}, 3}  -- want: truncated-reply
