-- Why: the page of an idea shows its user's questions and those of agents, in order. Ideas belong to one user. Definer:
-- the idea's owner is checked first.
create function operations.get_idea_conversation(p_idea_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_own_idea(p_idea_id);
  return json_build_object(
    'idea_id', p_idea_id,
    'user_questions', (
      select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]')
      from public.user_questions u where u.idea_id = p_idea_id),
    'agent_questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.idea_id = p_idea_id));
end;
$$;

comment on function operations.get_idea_conversation is
  'User and agent questions about an idea (specification: Idea; User question).';
grant execute on function operations.get_idea_conversation to authenticated;
