-- Why: a user asks about one of their ideas; a PLAN_CHAT job carries the question to one of their workers. A draft
-- becomes "discussing". Refusals: 404, 403, 429, 409 for an archived idea, 422.
-- Definer: questions and jobs are written by functions only.
create function operations.ask_about_idea(p_idea_id uuid, p_question text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
  v_idea public.ideas;
  v_job_id uuid;
  v_question public.user_questions;
begin
  perform private.require_product_access(v_product_id);
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  if coalesce(char_length(p_question), 0) not between 1 and 4000 or p_question !~ '\S' then
    perform private.refuse(422, 'question takes 1 to 4000 characters.');
  end if;
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;
  if v_idea.archived_at is not null then
    perform private.refuse(409, 'This idea is archived. Restore it first.');
  end if;

  insert into public.agent_jobs (product_id, idea_id, kind, created_by)
  values (v_product_id, p_idea_id, 'PLAN_CHAT', auth.uid())
  returning id into v_job_id;
  insert into public.user_questions (idea_id, user_id, question, job_id)
  values (p_idea_id, auth.uid(), p_question, v_job_id)
  returning * into v_question;
  update public.ideas i set status = 'DISCUSSING' where i.id = p_idea_id and i.status = 'DRAFT';
  return private.user_question_json(v_question);
end;
$$;

comment on function operations.ask_about_idea is 'A user question and its PLAN_CHAT job (specification: User question).';
grant execute on function operations.ask_about_idea to authenticated;
