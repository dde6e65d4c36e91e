-- Why: a link opens registration for one person, so two people cannot both create an account with it at the same
-- moment. It is reserved for two minutes, or until released (p_release) because no account was created. Service only.
create function operations.reserve_invitation(p_code_hash text, p_release boolean default false)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.product_invitations i
  set reserved_until = case when not p_release then private.now() + interval '2 minutes' end
  where i.code_hash = decode(p_code_hash, 'hex') and i.expires_at > private.now()
    and (p_release or coalesce(i.reserved_until, '-infinity') <= private.now());
  if not found then
    perform operations.find_invitation(p_code_hash);
    perform private.refuse(409, 'Somebody is creating an account with this invitation. Try again in two minutes, or ask for another one.');
  end if;
  return json_build_object('reserved', not p_release);
end;
$$;

comment on function operations.reserve_invitation is 'Keeps a link for whoever registers with it. Service only.';
grant execute on function operations.reserve_invitation to service_role;
