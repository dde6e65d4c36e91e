-- Why: a pull request merged after a job ended has brought its work to the main branch; a changed pull request has not.
-- For one PBI, or all of a product. Triggers then count the blockers again. Called under the product's lock.
create function private.note_merged_requests(p_product_id uuid, p_pbi_id uuid, p_was_at timestamptz default null)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.set_merged(array[j.id], case when x.pr_merged_at > j.finished_at then x.pr_merged_at end)
  from (
    select w.id, min(b.pr_merged_at) as pr_merged_at
    from public.pbis b
    join public.stories s on s.pbi_id = b.id
    join public.tasks t on t.story_id = s.id
    cross join lateral (
      select a.id from private.works a where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.status = 'DONE'
      union all
      select a.id from public.task_executions e
      join private.works a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION' and a.finished_at is not null
      where e.task_id = t.id and e.status = 'DONE'
    ) w
    where b.product_id = p_product_id and (p_pbi_id is null or b.id = p_pbi_id)
    group by w.id
  ) x
  join private.works j on j.id = x.id
  where (j.merged_at is null and x.pr_merged_at > j.finished_at
    or j.merged_at = p_was_at and (x.pr_merged_at > j.finished_at) is not true);
end;
$$;

comment on function private.note_merged_requests is 'Work that merged pull requests of PBIs brought to the main branch.';
