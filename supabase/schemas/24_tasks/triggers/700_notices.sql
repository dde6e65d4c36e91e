-- Why: a task that waits for a review waits for a person, so a person is told: the assignee of its story, else everybody.
-- Definer: the outbox is nobody's to write.
create function private.tg_tasks__notices()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = new.story_id;
  perform private.queue_notices('review_needed', new.product_id, v_story.assignee_id, true,
    format('%s waits for a review', new.code), new.title,
    case when v_story.sprint_id is null then format('/products/%s/backlog', new.product_id)
      else format('/products/%s/sprints/%s', new.product_id, v_story.sprint_id) end,
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'story_id', v_story.id, 'story_code', v_story.code,
      'sprint_id', v_story.sprint_id, 'status', 'review'));
  return null;
end;
$$;

comment on function private.tg_tasks__notices is 'Notices of tasks that wait for a review (specification: Task).';

create trigger _700_notices after update of status on public.tasks
  for each row when (new.status = 'REVIEW' and old.status <> 'REVIEW')
  execute function private.tg_tasks__notices();
