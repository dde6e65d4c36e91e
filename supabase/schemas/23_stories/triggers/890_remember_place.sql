-- Why: the delete event of a task must carry sprint and assignee, but by then the cascade has removed its story.
-- Kept for the length of the transaction only.
create function private.tg_stories__remember_place()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform set_config(
    'backloom.deleted_stories',
    (
      coalesce(nullif(current_setting('backloom.deleted_stories', true), '')::jsonb, '{}')
      || jsonb_build_object(
        old.id,
        jsonb_build_object('pbi_id', old.pbi_id, 'sprint_id', old.sprint_id, 'assignee_id', old.assignee_id)
      )
    )::text,
    true
  );
  return old;
end;
$$;

comment on function private.tg_stories__remember_place is
  'Keeps where a deleted story stood, for the delete events of its tasks (specification: Solo stream).';

create trigger _890_remember_place
before delete on public.stories
for each row execute function private.tg_stories__remember_place();
