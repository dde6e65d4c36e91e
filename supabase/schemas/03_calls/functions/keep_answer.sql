-- Why: whoever sends the same call again gets this answer. Called by public.call_as in the transaction of the write. A wrong
-- guess that is counted is answered and not raised; it is refused all the same, and keeps nothing.
create function private.keep_answer(p_user_id uuid, p_key text, p_answer json)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if json_typeof(p_answer) = 'object' and p_answer -> 'refused' is not null then
    delete from public.idempotency_keys k where k.user_id = p_user_id and k.key = p_key;
  else
    update public.idempotency_keys k set answer = p_answer::text where k.user_id = p_user_id and k.key = p_key;
  end if;
end;
$$;

comment on function private.keep_answer is 'Keeps what a call with an idempotency key answered.';
grant execute on function private.keep_answer to service_role;
