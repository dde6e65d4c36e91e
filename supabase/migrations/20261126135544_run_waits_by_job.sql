-- Why: a run of more than a thousand tasks could not be started, because each of its jobs was compared with each other.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.run_waits(p_run public.sprint_runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v record;
begin
  if p_run.status not in ('QUEUED', 'RUNNING') then
    return null;
  end if;
  select count(*) filter (where j.phase = 'review' and p.done_requires <> 'ci') as reviews,
    count(*) filter (where q.status = 'OPEN') as answers,
    count(*) filter (where j.status <> 'QUEUED'
      or not (select g.gates from private.job_gates g where g.id = j.id) && '{review,question,plan,dependency,order}') as moving
  into v
  from public.agent_jobs j
  join public.products p on p.id = j.product_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  return case when v.moving = 0 and v.reviews + v.answers > 0 then jsonb_build_object('reviews', v.reviews, 'answers', v.answers) end;
end;
$function$;
