-- Every new account in Supabase Auth (by registration, an administrator or the project's dashboard) gets a profile in
-- the same transaction. The name comes from the sign-up, never role or flags. Without a usable name, one is made from
-- the address. Definer: Auth's own role has no rights on our tables (specification: Other records, User).
create function private.tg_auth_users__create_profile()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  -- Not every Auth server stores the object as such; some store its JSON text as one string.
  v_metadata jsonb := case jsonb_typeof(new.raw_user_meta_data)
    when 'string' then (new.raw_user_meta_data #>> '{}')::jsonb
    else new.raw_user_meta_data
  end;
  v_wanted text := v_metadata ->> 'username';
  v_base text := left(coalesce(nullif(regexp_replace(split_part(new.email, '@', 1), '[^A-Za-z0-9]+', '', 'g'), ''), 'user'), 30);
begin
  insert into public.users (id, username, email, created_at, updated_at)
  values (new.id, coalesce(v_wanted, v_base || '-' || left(new.id::text, 8)), coalesce(new.email, ''),
    private.now(), private.now());
  return new;
end;
$$;
create trigger _100_create_profile
after insert on auth.users
for each row execute function private.tg_auth_users__create_profile();

-- People can also sign in with their address; when Supabase Auth confirms a new one, it replaces the old one here.
-- Definer: Supabase Auth runs as its own role, which has no rights on our tables.
create function private.tg_auth_users__copy_email()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.users set email = coalesce(new.email, ''), updated_at = private.now() where id = new.id;
  return new;
end;
$$;
create trigger _110_copy_email
after update of email on auth.users
for each row when (old.email is distinct from new.email)
execute function private.tg_auth_users__copy_email();

-- An account that the operator bans or deletes softly in Supabase Auth is out at once. Auth itself refuses only the next
-- sign-in; sessions and tokens are the service's own. A deleted one also leaves its account at the identity provider free.
-- Definer: Supabase Auth runs as its own role, which has no rights on our tables.
create function private.tg_auth_users__end_access()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.end_access(new.id);
  if new.deleted_at is not null then
    delete from public.account_identities i where i.account = new.id;
  end if;
  return new;
end;
$$;
create trigger _120_end_access
after update of banned_until, deleted_at on auth.users
for each row when ((new.banned_until > now() and old.banned_until is distinct from new.banned_until)
  or (new.deleted_at is not null and old.deleted_at is null))
execute function private.tg_auth_users__end_access();

-- A password set at Auth itself ends all sessions, as here. Definer: Auth's own role has no rights on our tables.
create function private.tg_auth_users__end_sessions()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.users u set password_set_until = null where u.id = new.id and u.password_set_until > private.now();
  if not found then
    perform private.audit(new.id, null, 'password.changed',
      jsonb_build_object('sessions_ended', private.end_sessions(new.id), 'at', 'supabase_auth'));
  end if;
  return new;
end;
$$;
create trigger _130_end_sessions
after update of encrypted_password on auth.users
for each row when (old.encrypted_password is distinct from new.encrypted_password and new.deleted_at is null)
execute function private.tg_auth_users__end_sessions();

-- Signing out ends open streams at once; an earlier end makes them check again (specification: Authentication 2 and 5).
create trigger _900_emit after delete on public.user_sessions for each row
  execute function private.tg_any__emit_credential('session');
create trigger _901_emit after update on public.user_sessions for each row
  when ((new.revoked_at is not null and old.revoked_at is null) or new.expires_at < old.expires_at
    or new.paired_expires_at is distinct from old.paired_expires_at)
  execute function private.tg_any__emit_credential('session');

-- The one writer of the audit trail. Definer, because no user may write it directly. P_detail never holds a secret.
create function private.audit(
  p_user_id uuid, p_actor_id uuid, p_kind text, p_detail jsonb default '{}', p_ip text default null
) returns void language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.audit_events (user_id, actor_id, kind, detail, ip, created_at)
  values (p_user_id, p_actor_id, p_kind, p_detail, left(p_ip, 45), private.now());
end;
$$;
grant execute on function private.audit to service_role;

-- A desktop signed in by a phone may have created tokens and signed in further desktops. Revoking the first one revokes
-- all of these, or it would keep access through them. Tokens of an ordinary session stay, because its user created
-- them. The caller has checked whose session it is. Returns whether a session ended (specification: Login pairing).
create function private.end_session_chain(p_session_id uuid)
returns boolean language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_paired uuid[];
  v_ended boolean;
begin
  update public.user_sessions s set revoked_at = v_now where s.id = p_session_id and s.revoked_at is null;
  v_ended := found;

  with recursive chain (id) as (
    select s.id from public.user_sessions s where s.id = p_session_id and s.paired
    union
    select p.session_id from public.login_pairings p join chain c on p.approved_in = c.id where p.session_id is not null
  )
  select coalesce(array_agg(c.id), '{}') into v_paired from chain c;

  update public.login_pairings p set status = 'CANCELLED' where p.approved_in = any (v_paired) and p.status = 'APPROVED';
  update public.user_sessions s set revoked_at = v_now where s.id = any (v_paired) and s.revoked_at is null;
  update public.api_tokens t set revoked_at = v_now where t.session_id = any (v_paired) and t.revoked_at is null;
  return v_ended;
end;
$$;

-- A new password or a lost role ends every other session, and no unclaimed pairing becomes one afterwards. Definer:
-- users may not write these tables. Returns how many sessions ended (specification: Authentication).
create function private.end_sessions(p_user_id uuid, p_keep_session_id uuid default null)
returns integer language plpgsql volatile security definer set search_path = '' as $$
declare
  v_ended integer;
begin
  update public.login_pairings set status = 'CANCELLED' where user_id = p_user_id and status = 'APPROVED';
  delete from public.chats c where c.user_id = p_user_id;

  update public.user_sessions set revoked_at = private.now()
  where user_id = p_user_id and revoked_at is null and id is distinct from p_keep_session_id;
  get diagnostics v_ended = row_count;
  return v_ended;
end;
$$;
grant execute on function private.end_sessions to service_role;
