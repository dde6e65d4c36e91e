-- Why: the answer to the end of a task names what can start now. Kept for the transaction.
create function private.note_released(p_task_ids uuid[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_codes jsonb;
begin
  select jsonb_agg(t.code order by t.sort_order, t.code) into v_codes
  from public.tasks t
  where t.id = any (p_task_ids) and t.status = 'TO_DO'
    and (exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id))
    and not private.is_held(t.id);
  if v_codes is not null then
    perform set_config('backloom.released',
      (coalesce(nullif(current_setting('backloom.released', true), '')::jsonb, '[]') || v_codes)::text, true);
  end if;
end;
$$;

comment on function private.note_released is 'Remembers the tasks that wait for nothing any more, for the answer.';

-- Why: runs for a few tasks at every end of a task. A separate function, because Postgres plans "not exists" over the
-- view for many tasks as a join with every blocked task anywhere.
create function private.is_held(p_task_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (select from private.task_blockers b where b.task_id = p_task_id and not b.resolved);
end;
$$;

comment on function private.is_held is 'Whether a task waits for something that is not done.';
