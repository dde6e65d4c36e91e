-- Why: hosted Realtime counts messages and drops what is above its rate, so viewers are told about once a second that there is
-- more. Whoever was told reads once more a second later, which catches what came in between. Our worker sends a batch a second:
-- a little less is asked for here, so that each of them is told although one took longer on its way than the next.
create function private.is_output_news(p_told_at timestamptz, p_now timestamptz)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return p_told_at is null or p_now >= p_told_at + interval '0.8 seconds';
end;
$$;

comment on function private.is_output_news is 'Whether about a second has passed since viewers were told of an output.';
