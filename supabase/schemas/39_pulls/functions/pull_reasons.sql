-- Why: work that is done and has not landed waits at its code host: for CI, for a reviewer there, or to be merged. It keeps nothing here from
-- moving, and is said beside the other reasons.
create function private.pull_reasons(p_kind text, p_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(distinct jsonb_build_object('blocking', false, 'number', p.number, 'url', p.url) || case
      when p.ci in ('pending', 'failed') then jsonb_build_object('code', 'ci', 'message', format('CI of pull request #%s %s.', p.number,
        case p.ci when 'pending' then 'has not finished' else 'failed' end))
      when p.review = 'changes_requested' then jsonb_build_object('code', 'review_outside',
        'message', format('Changes were requested in pull request #%s.', p.number))
      else jsonb_build_object('code', 'merge', 'message', format('Pull request #%s is waiting to be merged%s.', p.number,
        case when p.draft then '; it is still a draft' else '' end)) end), '[]')
    from public.agent_jobs j
    join public.pulls p on p.product_id = j.product_id and p.branch = j.branch and p.state = 'open'
    where j.status = 'DONE' and case p_kind when 'job' then j.id = p_id when 'task' then j.task_id = p_id else j.sprint_run_id = p_id end);
end;
$$;

comment on function private.pull_reasons is 'ci, review_outside and merge of why_not_moving (docs/forges.md).';
