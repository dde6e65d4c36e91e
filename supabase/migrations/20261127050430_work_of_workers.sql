-- Why: a token limited to work lands branches, writes to issues, keeps files and adds pictures, as its worker does.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.require_scope(p_scopes text[], p_function text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_work constant text[] := '{claim_agent_job, take_agent_job, heartbeat_agent_job, report_agent_job, report_job_usage, append_job_output,
    save_job_diff, report_job_conflict, report_merged, verify_sprint_task, verify_task_against_plan, update_task_execution,
    worker_heartbeat, restart_worker, add_evidence, observe_pulls, observe_issues, next_landing, report_landing,
    next_issue_note, report_issue_note, next_upkeep, report_upkeep, propose_lesson, save_job_guide}';
  v_either constant text[] := '{update_task, set_task_status, append_story_log, ask_question, cancel_question, answer_user_question,
    pause_sprint_run, cancel_agent_job, add_comment, edit_comment, delete_comment, add_file}';
  v_allowed constant text[] := (case
    when p_function = any (v_work) then '{work}'
    when p_function = any (v_either) then '{plan, work}'
    else '{plan}' end)::text[];
begin
  if not p_scopes && v_allowed then
    perform private.refuse(403, format('This token does not include the scope %s. Use a token that does, or ask its owner for one.',
      array_to_string(v_allowed, ' or ')),
      jsonb_build_object('scope', v_allowed[1]));
  end if;
end;
$function$;
