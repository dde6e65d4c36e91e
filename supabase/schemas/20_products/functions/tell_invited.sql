-- Why: updates the invited person's inbox at once. Called when an invitation is created, revoked or answered.
create function private.tell_invited(p_user_id uuid, p_invitation_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.emit('user:' || p_user_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_invitation_id, 'product_id', null));
end;
$$;

comment on function private.tell_invited is 'Tells the inbox of an invited person to read anew.';
