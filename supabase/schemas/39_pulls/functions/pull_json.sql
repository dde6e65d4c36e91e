-- Why: one form of a pull request.
create function private.pull_json(p_pull public.pulls)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object('id', p_pull.id, 'number', p_pull.number, 'url', p_pull.url, 'branch', p_pull.branch,
    'head_sha', p_pull.head_sha, 'state', p_pull.state, 'draft', p_pull.draft, 'mergeable', p_pull.mergeable, 'ci', p_pull.ci,
    'review', p_pull.review, 'observed_at', p_pull.observed_at);
end;
$$;

comment on function private.pull_json is 'A pull request as every answer shows it.';
grant execute on function private.pull_json to authenticated;
