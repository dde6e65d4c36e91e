-- Why: every new account in Supabase Auth (by registration, an administrator or the project's dashboard) gets a profile
-- in the same transaction. The name comes from the sign-up, role and flags never do: everybody starts as a DEVELOPER
-- without flags. Without a usable name, one is made from the address.
-- Definer: Supabase Auth runs as its own role, which has no rights on our tables.
create function private.tg_auth_users__create_profile()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
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

comment on function private.tg_auth_users__create_profile is
  'Makes the profile of a new account; never an administrator (specification: Other records, User).';

create trigger _100_create_profile
after insert on auth.users
for each row execute function private.tg_auth_users__create_profile();

-- Why: people can also sign in with their address; when Supabase Auth confirms a new one, it replaces the old one here.
-- Definer: Supabase Auth runs as its own role, which has no rights on our tables.
create function private.tg_auth_users__copy_email()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.users set email = coalesce(new.email, ''), updated_at = private.now() where id = new.id;
  return new;
end;
$$;

comment on function private.tg_auth_users__copy_email is 'Keeps the address of the profile as Supabase Auth has it.';

create trigger _110_copy_email
after update of email on auth.users
for each row when (old.email is distinct from new.email)
execute function private.tg_auth_users__copy_email();
