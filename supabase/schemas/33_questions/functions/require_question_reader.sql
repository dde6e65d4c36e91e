-- Why: the one rule for who may read and answer a question. A question about somebody else's idea is 404. A permission
-- may be known to exist, because its job says what it waits for, but only the user of the asking worker can give it.
-- Once that user has left, the owner can dismiss it.
create function private.require_question_reader(p_question public.agent_questions)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_question.product_id);
  if p_question.reader_id is null or p_question.reader_id = auth.uid() or private.is_left_to_owner(p_question) then
    return;
  end if;
  if p_question.idea_id is not null then
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.refuse(403, format('Only %s can answer this: an agent asks what it may do on their machine.',
    coalesce(private.username(p_question.reader_id), 'the user of the worker')));
end;
$$;

comment on function private.require_question_reader is
  'PT404 and PT403 for a question that is not for the caller (specification: Agent question).';
