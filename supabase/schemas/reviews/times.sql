-- How long finished work waits for people: from the end of the attempt that was handed in to the first look and to
-- the first verdict, of the jobs of these runs, or of a product in the last 90 days (docs/review.md).
create function private.review_times(p_product_id uuid, p_runs uuid[] default null)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_since timestamptz := case when p_runs is null then private.now() - interval '90 days' else '-infinity' end;
begin
  return (
    with looked as materialized (
      select j.id, j.first_seen_at, j.judged_at from public.agent_jobs j
      where j.product_id = p_product_id and (p_runs is null or j.sprint_run_id = any (p_runs))
        and greatest(j.first_seen_at, j.judged_at) >= v_since
    ), waits as (
      select 'first_look' as kind, private.waited_seconds(l.id, l.first_seen_at) as seconds from looked l
      union all
      select 'verdict', private.waited_seconds(l.id, l.judged_at) from looked l
    )
    select jsonb_object_agg(k.kind, k.told)
    from (
      select w.kind, jsonb_build_object('jobs', count(x.seconds),
        'median_seconds', round(percentile_cont(0.5) within group (order by x.seconds)),
        'p90_seconds', round(percentile_cont(0.9) within group (order by x.seconds))) as told
      from (values ('first_look'), ('verdict')) w (kind) left join waits x on x.kind = w.kind
      group by w.kind
    ) k);
end;
$$;

-- Work that was sent back waits again, so a wait begins with the last attempt that was handed in before it ended.
create function private.handed_in_at(p_job_id uuid, p_before timestamptz)
returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return (
    select max(a.ended_at) from public.job_attempts a
    where a.job_id = p_job_id and a.outcome = 'done' and a.ended_at <= p_before);
end;
$$;

-- Null where nothing was handed in, or where it still waits.
create function private.waited_seconds(p_job_id uuid, p_until timestamptz)
returns double precision language plpgsql stable set search_path = '' as $$
begin
  return extract(epoch from p_until - private.handed_in_at(p_job_id, p_until));
end;
$$;

-- The sprint page says how long work waited for people. Definer: reads jobs without checking row level security for
-- each; access is checked first (docs/review.md).
create function private.sprint_review_times(p_sprint_id uuid)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  return private.review_times(private.require_access('sprint', p_sprint_id),
    array(select r.id from public.sprint_runs r where r.sprint_id = p_sprint_id));
end;
$$;
grant execute on function private.sprint_review_times to authenticated;
