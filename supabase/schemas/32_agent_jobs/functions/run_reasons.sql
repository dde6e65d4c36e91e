-- Why: a run moves when one of its jobs is held or claimable. Else: the reasons of the jobs that are next in their lanes,
-- each code once.
create function private.run_reasons(p_run public.sprint_runs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_run.status in ('DONE', 'FAILED', 'CANCELLED') then
    return jsonb_build_array(jsonb_build_object('code', 'finished',
      'message', format('The run is %s%s', lower(p_run.status::text), coalesce(': ' || (p_run.failure ->> 'reason'), '.')),
      'failure', p_run.failure, 'finished_at', p_run.finished_at));
  end if;
  return (
    select coalesce(jsonb_agg(x.reason order by x.place), '[]')
    from (
      select distinct on (r.reason ->> 'code') r.reason || jsonb_build_object('job_id', coalesce(r.reason -> 'job_id', to_jsonb(j.id))) as reason,
        j.position as place
      from (
        select * from public.agent_jobs a
        where a.sprint_run_id = p_run.id and a.in_turn and a.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by a.position limit 50
      ) j
      cross join lateral jsonb_array_elements(private.job_reasons(j)) as r (reason)
      order by r.reason ->> 'code', j.position
    ) x
  );
end;
$$;

comment on function private.run_reasons is 'Why a run does not move (specification: Sprint run).';
