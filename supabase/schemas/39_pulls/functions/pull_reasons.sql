-- Why: finished work that has not landed waits at its code host: for CI, a reviewer there, or the merge. It blocks
-- nothing here, and is shown beside the other reasons.
create function private.pull_reasons(p_kind text, p_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(distinct jsonb_build_object('blocking', false) || r.reason), '[]')
    from public.agent_jobs j
    left join public.pulls p on p.product_id = j.product_id and p.branch = j.branch and p.state = 'open'
    cross join lateral private.pull_reason(j, p) r (reason)
    where j.status = 'DONE' and r.reason is not null
      and case p_kind when 'job' then j.id = p_id when 'task' then j.task_id = p_id else j.sprint_run_id = p_id end);
end;
$$;

comment on function private.pull_reasons is 'ci, review_outside and merge of why_not_moving (docs/forges.md).';

create function private.pull_reason(p_job public.agent_jobs, p_pull public.pulls)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_link jsonb := case when p_pull.id is not null then jsonb_build_object('number', p_pull.number, 'url', p_pull.url) else '{}'::jsonb end;
  v_landing text;
begin
  if p_pull.ci in ('pending', 'failed') then
    return v_link || jsonb_build_object('code', 'ci', 'message', format('CI of pull request #%s %s.', p_pull.number,
      case p_pull.ci when 'pending' then 'has not finished' else 'failed' end));
  elsif p_pull.review = 'changes_requested' then
    return v_link || jsonb_build_object('code', 'review_outside',
      'message', format('Changes were requested in pull request #%s.', p_pull.number));
  end if;
  v_landing := case when p_job.merged_at is null then private.landing_words(p_job.product_id, p_job.branch) end;
  if v_landing is not null then
    return v_link || jsonb_build_object('code', 'merge', 'message', v_landing);
  elsif p_pull.id is not null then
    return v_link || jsonb_build_object('code', 'merge', 'message', format('Pull request #%s is waiting to be merged%s.', p_pull.number,
      case when p_pull.draft then '; it is still a draft until every criterion is proven' else '' end));
  elsif private.wants_pull(p_job) and (select p.pull_requests <> 'none' from public.products p where p.id = p_job.product_id) then
    return jsonb_build_object('code', 'merge', 'message', 'It has no pull request yet: a worker with --pr opens it, and tries again where the code host refused.');
  end if;
  return null;
end;
$$;

comment on function private.pull_reason is 'What work that is done waits for at its code host, or null.';
