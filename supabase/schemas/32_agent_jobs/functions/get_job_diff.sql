-- Why: the changes of an attempt, by default of the newest that sent any. Null when none has. `attempts` lists those
-- with a diff, so that two can be compared. Refusals: 404, 403. Definer: access is checked first.
create function operations.get_job_diff(p_job_id uuid, p_attempt integer default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_job_reader(p_job_id);
  return (
    select json_build_object('job_id', d.job_id, 'attempt', d.attempt, 'base_sha', d.base_sha, 'head_sha', d.head_sha,
      'additions', d.additions, 'deletions', d.deletions, 'created_at', d.created_at,
      'attempts', (select json_agg(x.attempt order by x.attempt) from public.job_diffs x where x.job_id = p_job_id),
      'files', d.files)
    from public.job_diffs d
    where d.job_id = p_job_id and (p_attempt is null or d.attempt = p_attempt)
    order by d.attempt desc
    limit 1);
end;
$$;

comment on function operations.get_job_diff is 'What an attempt of a job has changed (docs/review.md).';
grant execute on function operations.get_job_diff to authenticated;
