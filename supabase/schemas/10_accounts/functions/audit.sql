-- Why: the one writer of the audit trail. Definer, because no user may write it directly.
-- Called by the account operations; p_detail never holds a secret.
create function private.audit(
  p_user_id uuid, p_actor_id uuid, p_kind text, p_detail jsonb default '{}', p_ip text default null)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into public.audit_events (user_id, actor_id, kind, detail, ip, created_at)
  values (p_user_id, p_actor_id, p_kind, p_detail, left(p_ip, 45), private.now());
end;
$$;

comment on function private.audit is 'Writes one line of the audit trail: whom it concerns, who did it, what, from where.';

grant execute on function private.audit to service_role;
