-- Why: the review of a story asks once which other work waits with its files, not once for each of its tasks.
set local check_function_bodies = off;

DROP FUNCTION "operations"."list_same_files"(uuid);

CREATE OR REPLACE FUNCTION operations.list_same_files(p_job_id uuid, p_whole_story boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
  v_story_id uuid := (select t.story_id from public.tasks t where t.id = v_job.task_id);
begin
  return (
    with mine as materialized (
      select distinct f ->> 'path' as path
      from public.tasks t
      join public.agent_jobs j on j.task_id = t.id and (p_whole_story or j.id = p_job_id)
      join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
      cross join lateral jsonb_array_elements(d.files) f
      where t.story_id = v_story_id
    ), waiting as (
      select j.id, j.attempt, t.code from public.agent_jobs j
      join public.tasks t on t.id = j.task_id
      where j.product_id = v_job.product_id and j.status = 'QUEUED' and j.phase = 'review'
        and t.story_id <> v_story_id
      order by j.updated_at desc, j.id limit 50
    )
    select coalesce(json_agg(json_build_object('job_id', w.id, 'code', w.code, 'paths', x.paths) order by w.code), '[]')
    from waiting w
    cross join lateral (
      select (array_agg(m.path order by m.path))[1:4] as paths
      from public.job_diffs d cross join lateral jsonb_array_elements(d.files) f
      join mine m on m.path = f ->> 'path'
      where d.job_id = w.id and d.attempt = w.attempt
    ) x
    where x.paths is not null);
end;
$function$;

REVOKE ALL ON FUNCTION "operations"."list_same_files"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_same_files"(uuid, boolean) TO "authenticated", "postgres";
