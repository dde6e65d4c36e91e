create trigger _400_touch before update on public.agent_questions for each row execute function private.tg_any__touch();

-- Why: people who can answer get a notice at once, and webhooks hear of the end too. A question for one person reaches
-- only that person's devices and webhooks.
-- Definer: users may not write the outbox.
create function private.tg_agent_questions__notices()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_subject text := coalesce((select t.code from public.tasks t where t.id = new.task_id),
    (select s.code from public.stories s where s.id = new.story_id),
    (select i.code from public.ideas i where i.id = new.idea_id));
begin
  if tg_op = 'INSERT' then
    perform private.queue_notices('question_opened', new.product_id, new.assignee_id, true,
      format(case new.kind when 'permission' then 'An agent asks your permission: %s' else 'A question about %s' end, v_subject), concat_ws(': ', new.reach, new.question), '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'ANSWERED' then
    perform private.queue_notices('question_answered', new.product_id, null, false,
      format('Answered: %s', v_subject), new.answer, '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'EXPIRED' then
    perform private.queue_notices('question_expired', new.product_id, coalesce(new.escalate_to, new.assignee_id), true,
      format('Nobody answered in time: %s', v_subject), new.question, '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  end if;
  return null;
end;
$$;

comment on function private.tg_agent_questions__notices is 'Notices of questions (specification: Agent question).';

create trigger _700_notices after insert on public.agent_questions
  for each row when (new.status = 'OPEN') execute function private.tg_agent_questions__notices();
create trigger _701_notices after update of status on public.agent_questions
  for each row when (old.status = 'OPEN' and new.status in ('ANSWERED', 'EXPIRED'))
  execute function private.tg_agent_questions__notices();

-- Why: the notifications stream carries the questions of all products of a user, except those for another person; a
-- permission whose reader has left goes to the owner. A question deleted while open is sent as cancelled, because the
-- stream has no deletes.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_agent_questions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'question', to_jsonb(old), to_jsonb(new));
  v_row public.agent_questions := coalesce(new, old);
  v_status text;
begin
  if v_event is null then
    return null;
  end if;

  v_status := lower(v_row.status::text);
  if tg_op = 'DELETE' then
    if old.status <> 'OPEN' then
      return null;
    end if;
    v_status := 'cancelled';
    v_event := v_event || '{"op": "U"}';
  end if;

  v_event := v_event || jsonb_build_object(
    'story_id', v_row.story_id,
    'idea_id', v_row.idea_id,
    'task_id', v_row.task_id,
    'assignee_id', v_row.assignee_id,
    'status', v_status
  );
  if v_row.reader_id is null then
    perform private.emit_to_members(v_row.product_id, v_event);
  elsif exists (select from public.product_members m where m.product_id = v_row.product_id and m.user_id = v_row.reader_id
      and (m.role <> 'VIEWER' or v_row.kind <> 'permission')) then
    perform private.emit('user:' || v_row.reader_id, v_event);
  elsif v_row.kind = 'permission' then
    perform private.emit('user:' || (select p.owner_id from public.products p where p.id = v_row.product_id), v_event);
  end if;
  return null;
end;
$$;

comment on function private.tg_agent_questions__emit is
  'Announces agent questions on user:<id> of everybody who may read them (specification: Notifications stream).';

create trigger _900_emit
after insert or update or delete on public.agent_questions
for each row execute function private.tg_agent_questions__emit();
