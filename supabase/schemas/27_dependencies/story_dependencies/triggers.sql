create trigger _130_lock_product before insert or update or delete on public.story_dependencies
  for each row execute function private.tg_any__lock_product();

-- Why: adding or removing a dependency changes what blocks jobs: those that have not begun are blocked or released at
-- once, those at work continue. Definer: the caller may not write jobs.
create function private.tg_story_dependencies__recount()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.recount_blockers(array(select t.id from public.tasks t where t.story_id = coalesce(new.blocked_id, old.blocked_id)));
  return null;
end;
$$;

comment on function private.tg_story_dependencies__recount is 'Counters follow the dependencies of stories.';

create trigger _500_recount
after insert or delete on public.story_dependencies
for each row execute function private.tg_story_dependencies__recount();

-- Why: the cards of both ends show dependencies, so both are announced as changed.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_story_dependencies__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.emit_story_change(coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_story_change(coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$$;

comment on function private.tg_story_dependencies__emit is
  'Announces dependencies as changes of their stories (specification: Solo stream, Backlog stream).';

create trigger _900_emit
after insert or delete on public.story_dependencies
for each row execute function private.tg_story_dependencies__emit();

-- Why: related data of a story may change without its row; this sends the usual event of a changed story.
create function private.emit_story_change(p_story_id uuid, p_field text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not found then
    return;
  end if;
  perform private.emit('product:' || v_story.product_id, jsonb_build_object('op', 'U', 'entity', 'story', 'id', v_story.id,
    'product_id', v_story.product_id, 'changed_fields', jsonb_build_array(p_field), 'pbi_id', v_story.pbi_id,
    'sprint_id', v_story.sprint_id, 'assignee_id', v_story.assignee_id, 'story_status', v_story.status,
    'story_title', v_story.title, 'story_code', v_story.code, 'story_sort_order', v_story.sort_order));
end;
$$;

comment on function private.emit_story_change is
  'Announces a story of which something beside its row changed (specification: Solo stream, Backlog stream).';
