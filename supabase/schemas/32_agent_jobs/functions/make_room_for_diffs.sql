-- Why: a product keeps at most 256 MiB of diffs. The excess goes, oldest first: diffs of superseded attempts are
-- deleted, and when none are left, the newest diffs of old jobs keep their list of files and lose the lines.
create function private.make_room_for_diffs(p_product_id uuid, p_limit bigint default 268435456)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_over bigint;
begin
  select sum(d.bytes) - p_limit into v_over from public.job_diffs d where d.product_id = p_product_id;
  if v_over is null or v_over <= 0 then
    return;
  end if;

  with followed as (
    select d.job_id, d.attempt, d.bytes, sum(d.bytes) over (order by d.created_at, d.job_id, d.attempt) - d.bytes as before
    from public.job_diffs d
    where d.product_id = p_product_id
      and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt)
  ),
  gone as (
    delete from public.job_diffs d using followed f
    where d.job_id = f.job_id and d.attempt = f.attempt and f.before < v_over
    returning d.bytes
  )
  select v_over - coalesce(sum(g.bytes), 0) into v_over from gone g;
  if v_over <= 0 then
    return;
  end if;

  with oldest as (
    select d.job_id, d.attempt, sum(d.bytes) over (order by d.created_at, d.job_id, d.attempt) - d.bytes as before
    from public.job_diffs d
    where d.product_id = p_product_id and d.bytes > 0
  )
  update public.job_diffs d
  set bytes = 0,
      files = (
        select coalesce(jsonb_agg(f.file - 'patch' || '{"truncated": true}' order by f.position), '[]')
        from jsonb_array_elements(d.files) with ordinality f (file, position))
  from oldest o
  where d.job_id = o.job_id and d.attempt = o.attempt and o.before < v_over;
end;
$$;

comment on function private.make_room_for_diffs is 'Bounds what the diffs of a product take (docs/review.md).';
