-- Puts the fields of one change back into its row. Answers why it cannot, in words, or null. Called under the product's lock.
create function private.restore_fields(p_change private.changes)
returns text
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now jsonb;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  if p_change.kind = 'job' then
    return private.restore_unmerged(p_change);
  end if;

  case p_change.kind
    when 'task' then
      select t.* into v_task from public.tasks t where t.id = p_change.thing_id;
      v_now := private.own_fields('task', to_jsonb(v_task));
    when 'story' then
      select s.* into v_story from public.stories s where s.id = p_change.thing_id;
      v_now := private.own_fields('story', to_jsonb(v_story));
    else
      select b.* into v_pbi from public.pbis b where b.id = p_change.thing_id;
      v_now := private.own_fields('pbi', to_jsonb(v_pbi));
  end case;
  if v_now is null or v_now ->> 'code' is null then
    return 'was deleted since';
  end if;
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key)
    -- What was accepted and has joined a sprint or a run since is no longer a suggestion.
    or p_change.kind = 'story' and p_change.before ->> 'in_triage' = 'true' and private.is_taken_up(v_story) then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      v_task := jsonb_populate_record(v_task, p_change.before);
      update public.tasks t
      set (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only, verify_required,
          requires_opus, estimated_minutes, label_ids) =
        (v_task.story_id, v_task.code, v_task.title, v_task.description, v_task.implementation_plan, v_task.priority,
          v_task.status, v_task.repo_url, v_task.verify_only, v_task.verify_required, v_task.requires_opus,
          v_task.estimated_minutes, v_task.label_ids)
      where t.id = p_change.thing_id;
    when 'story' then
      v_story := jsonb_populate_record(v_story, p_change.before);
      update public.stories s
      set (pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, in_triage) =
        (v_story.pbi_id, v_story.code, v_story.title, v_story.description, v_story.acceptance_criteria, v_story.priority,
          v_story.sprint_id, v_story.assignee_id, v_story.label_ids, v_story.in_triage)
      where s.id = p_change.thing_id;
    else
      v_pbi := jsonb_populate_record(v_pbi, p_change.before);
      -- READY lifts a block; what the stories call for is put.
      v_pbi.status := case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY'
        else v_pbi.status::text end::public.pbi_status;
      update public.pbis b
      set (code, title, description, priority, sort_order, status) =
        (v_pbi.code, v_pbi.title, v_pbi.description, v_pbi.priority, v_pbi.sort_order, v_pbi.status)
      where b.id = p_change.thing_id;
  end case;
  return null;
end;
$$;

comment on function private.restore_fields is 'Takes one change of fields back, or says why it cannot.';

-- Called for a story by restore_fields, which is under the product's lock.
create function private.is_taken_up(p_story public.stories)
returns boolean
language sql
stable
set search_path = ''
as $$
  select p_story.sprint_id is not null or exists (
    select from public.tasks t join public.agent_jobs j on j.task_id = t.id
    where t.story_id = p_story.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
$$;

comment on function private.is_taken_up is 'Whether a story is in a sprint, or given to agents.';
