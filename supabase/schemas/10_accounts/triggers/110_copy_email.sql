-- Why: people sign in with an address too; after a confirmed change in Supabase Auth the new one counts.
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
