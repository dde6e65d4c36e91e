-- Why: one form for pre-flight, sprint and story of where the next run starts: one line per story and branch, with its
-- newest head.
create function private.beginnings(p_story_ids uuid[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('story_id', h.story_id, 'story_code', h.story_code, 'branch', h.branch,
      'head_sha', h.head_sha, 'job_id', h.job_id, 'task_code', h.task_code, 'commits', h.commits,
      'message', format('%s continues %s, %s', h.story_code, h.branch, case
        when h.commits is null then 'not on main'
        when h.commits = 1 then '1 commit not on main'
        else h.commits || ' commits not on main' end))
      order by h.story_code, h.finished_at), '[]')
    from (
      select distinct on (w.story_id, w.branch) w.*
      from private.unlanded_work(p_story_ids) w
      order by w.story_id, w.branch, w.finished_at desc
    ) h);
end;
$$;

comment on function private.beginnings is 'Work of stories that is not on the main branch, in words (docs/worker.md).';

grant execute on function private.beginnings to authenticated;
