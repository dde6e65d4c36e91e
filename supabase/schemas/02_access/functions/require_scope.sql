-- Why: a token may be limited to scopes. Every token may read. What an agent does with a job needs `work`, any other
-- write `plan`. Called by public.call_as for tokens with scopes, before an operation that writes.
create function private.require_scope(p_scopes text[], p_function text)
returns void
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_work constant text[] := '{claim_agent_job, heartbeat_agent_job, report_agent_job, report_job_usage, append_job_output,
    save_job_diff, report_job_conflict, report_merged, verify_sprint_task, verify_task_against_plan, update_task_execution,
    worker_heartbeat, restart_worker, add_evidence, observe_pulls, observe_issues}';
  v_either constant text[] := '{update_task, set_task_status, append_story_log, ask_question, cancel_question, answer_user_question,
    pause_sprint_run, cancel_agent_job, add_comment, edit_comment, delete_comment}';
  v_allowed constant text[] := (case
    when p_function = any (v_work) then '{work}'
    when p_function = any (v_either) then '{plan, work}'
    else '{plan}' end)::text[];
begin
  if not p_scopes && v_allowed then
    raise exception using errcode = 'PT403',
      message = format('This token does not include the scope %s. Use a token that does, or ask its owner for one.',
        array_to_string(v_allowed, ' or ')),
      detail = json_build_object('scope', v_allowed[1])::text;
  end if;
end;
$$;

comment on function private.require_scope is 'PT403 for a write outside the scopes of a token (docs/agents.md, Signing in over OAuth).';

grant execute on function private.require_scope to service_role;
