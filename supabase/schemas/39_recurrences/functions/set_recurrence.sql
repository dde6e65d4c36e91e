-- Why: turns a story into a template, or changes its schedule. A template leaves its sprint and is hidden from agents,
-- and creates a story at every slot. The app has parsed the cron line and passes the next slot. Refusals: 404, 403
-- (also for a token in products where agents' items go to triage), 409 for a story that cannot become a template, 422.
-- Definer: recurrences are written by functions only.
create function operations.set_recurrence(p_story_id uuid, p_cron text, p_zone text, p_missed text, p_next_at timestamptz)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_missed text := lower(private.require_choice('missed', p_missed, array['ONCE', 'SKIP']));
  v_story public.stories;
begin
  perform private.take_rate_limit('change', auth.uid()::text);
  if private.is_token() and (select p.agent_items = 'triage' from public.products p where p.id = v_product_id) then
    perform private.refuse(403, 'Only people schedule recurring work in this product, because what agents create waits in triage. Ask one of its members.');
  end if;
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not v_story.is_template then
    perform private.require_set_aside(v_story);
    -- Taken back alone, this would leave a template without a schedule.
    perform set_config('backloom.undoing', 'yes', true);
    update public.stories s set is_template = true, in_triage = true, sprint_id = null where s.id = p_story_id;
    perform set_config('backloom.undoing', '', true);
  end if;
  insert into public.recurrences as r (story_id, product_id, cron, zone, missed, next_at, created_by)
  values (p_story_id, v_product_id, p_cron, p_zone, v_missed, p_next_at, auth.uid())
  on conflict (story_id) do update
  set cron = excluded.cron, zone = excluded.zone, missed = excluded.missed, next_at = excluded.next_at, created_by = excluded.created_by,
    updated_at = private.now();
  return json_build_object('recurrence', private.recurrence_json(p_story_id), 'template', null);
end;
$$;

comment on function operations.set_recurrence is 'Makes a story a template with a schedule, or changes its schedule.';
grant execute on function operations.set_recurrence to authenticated;

-- Why: a template is never worked on, so nobody may be at work on it, and it may block nothing.
create function private.require_set_aside(p_story public.stories)
returns void
language plpgsql
stable
set search_path = ''
as $$
declare
  v_waiting text;
begin
  if p_story.in_triage then
    perform private.refuse(409, format('%s is in triage. Accept it before it recurs.', p_story.code));
  end if;
  if exists (select from public.tasks t where t.story_id = p_story.id and t.status in ('IN_PROGRESS', 'REVIEW'))
    or exists (
      select from public.tasks t join public.agent_jobs j on j.task_id = t.id
      where t.story_id = p_story.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) then
    perform private.refuse(409, format('%s is being worked on. Wait until it is done, or make another story the template.', p_story.code));
  end if;
  select min(x.code) into v_waiting from (
    select s.code from public.story_dependencies d join public.stories s on s.id = d.blocked_id where d.blocker_id = p_story.id
    union all
    select b.code from public.task_dependencies d
    join public.tasks a on a.id = d.blocker_id and a.story_id = p_story.id
    join public.tasks b on b.id = d.blocked_id and b.story_id <> p_story.id
  ) x;
  if v_waiting is not null then
    perform private.refuse(409, format('%s is waiting for %s, which would never be done as a template. Remove that dependency first.',
      v_waiting, p_story.code));
  end if;
end;
$$;

comment on function private.require_set_aside is 'PT409 for a story that cannot become a template.';
