-- Why: the blockers of a task, or of a batch's tasks, as reasons of why_not_moving. A failed blocker needs a person,
-- and one that is done but not on the main branch needs a merge, so each has its own code.
create function private.dependency_reasons(p_task_ids uuid[], p_sprint_run_id uuid default null)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', r.code, 'message', r.message, 'blocked_by', r.blocked_by)
      || case when r.code = 'dependency_unmerged' then jsonb_build_object('awaited', private.awaited_work(p_task_ids)) else '{}' end
      order by r.code desc), '[]')
    from (
      select b.reason as code,
        case b.reason
          when 'dependency_failed'
            then format('It is blocked by %s, which failed. Retry that, finish it by hand, or remove the dependency.', string_agg(b.code, ', ' order by b.sort_order, b.code))
          when 'dependency_unmerged'
            then format('It is blocked by %s, which is done but not on the main branch yet. Merge it (a worker notices within a minute), or the owner marks it as merged.',
              string_agg(b.code, ', ' order by b.sort_order, b.code))
          else format('It is blocked by %s.', string_agg(format('%s (%s)', b.code, case b.status when 'todo' then 'to do' else replace(b.status, '_', ' ') end), ', ' order by b.sort_order, b.code)) end as message,
        jsonb_agg(private.blocker_json(b.blocker_id, b.code, b.title, b.status, false)::jsonb || jsonb_build_object('kind', b.kind) order by b.sort_order, b.code) as blocked_by
      from (
        select distinct k.kind, k.blocker_id, k.code, k.title, k.status, k.sort_order,
          case k.status when 'failed' then 'dependency_failed' when 'done' then 'dependency_unmerged' else 'dependency' end as reason
        from private.task_blockers k
        where k.task_id = any (p_task_ids) and not k.resolved
          and (p_sprint_run_id is null or not private.comes_with_batch(p_sprint_run_id, k.task_id, k.kind, k.blocker_id, false))
        order by k.sort_order, k.code
        limit 20
      ) b
      group by b.reason
    ) r
  );
end;
$$;

comment on function private.dependency_reasons is 'dependency, dependency_failed and dependency_unmerged (specification: Agent job).';
