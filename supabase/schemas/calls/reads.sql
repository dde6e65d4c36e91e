-- How long an idempotency key is remembered.
create function private.kept_call_lifetime() returns interval language sql immutable set search_path = '' as $$
  select interval '24 hours';
$$;
grant execute on function private.kept_call_lifetime to service_role;
