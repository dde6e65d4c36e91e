-- Why: a story that becomes DONE frees the tasks of the stories that wait for it, and holds them again when it is opened anew.
-- Definer: the caller may not write jobs.
create function private.tg_stories__settle_waiting()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.settle_waiting((
    select array_agg(t.id) from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id
    where d.blocker_id = new.id));
  return null;
end;
$$;

comment on function private.tg_stories__settle_waiting is 'Counters follow the status of stories.';

create trigger _560_settle_waiting
after update of status on public.stories
for each row when ((new.status = 'DONE') <> (old.status = 'DONE'))
execute function private.tg_stories__settle_waiting();
