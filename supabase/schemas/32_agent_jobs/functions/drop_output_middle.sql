-- Why: an attempt keeps 5 MiB of output. What is above leaves from the middle: how it began and how it ended is what people
-- read. A quarter of the room is freed at once, so that this is rare.
create function private.drop_output_middle(p_attempt public.job_attempts)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_first bigint;
  v_last bigint;
  v_freed bigint;
begin
  with sized as (
    select o.seq, octet_length(o.text) as bytes, sum(octet_length(o.text)) over (order by o.seq) as so_far
    from public.job_outputs o
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt
  ),
  gone as (
    delete from public.job_outputs o
    using sized s
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt and o.seq = s.seq
      and s.so_far > 1048576 and s.so_far <= 1048576 + 1310720 + (p_attempt.output_bytes - 5242880)
    returning o.seq, s.bytes
  )
  select min(g.seq), max(g.seq), sum(g.bytes) into v_first, v_last, v_freed from gone g;

  update public.job_attempts a
  set output_bytes = a.output_bytes - coalesce(v_freed, 0),
      dropped_from = least(a.dropped_from, v_first),
      dropped_to = greatest(a.dropped_to, v_last)
  where a.job_id = p_attempt.job_id and a.attempt = p_attempt.attempt;
end;
$$;

comment on function private.drop_output_middle is 'Lets the middle of a long output go and notes which entries those were.';
