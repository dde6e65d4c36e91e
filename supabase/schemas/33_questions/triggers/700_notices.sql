-- Why: whoever can answer is told at once that a question waits, and webhooks hear how it ends.
-- Definer: the outbox is nobody's to write.
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
      format('A question about %s', v_subject), new.question, '/questions?question=' || new.id, private.question_json(new));
  elsif new.status = 'ANSWERED' then
    perform private.queue_notices('question_answered', new.product_id, null, false,
      format('Answered: %s', v_subject), new.answer, '/questions?question=' || new.id, private.question_json(new));
  elsif new.status = 'EXPIRED' then
    perform private.queue_notices('question_expired', new.product_id, coalesce(new.escalate_to, new.assignee_id), true,
      format('Nobody answered in time: %s', v_subject), new.question, '/questions?question=' || new.id, private.question_json(new));
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
