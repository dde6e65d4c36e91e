-- Why: what a user may call by name, in one place: call_as writes the call itself, after act_as the session's own statement calls.
create view private.operations with (security_invoker = true) as
select p.proname as name, p.proargnames as parameter_names, p.proargtypes::oid[] as parameter_types,
       p.provolatile = 'v' as writes
from pg_catalog.pg_proc p
where p.pronamespace = 'public'::regnamespace
  and p.prokind = 'f'
  and p.proargmodes is null
  and has_function_privilege('authenticated', p.oid, 'execute');

comment on view private.operations is
  'The functions of public that users may call; a volatile one writes (specification: Authentication 3).';

grant select on private.operations to service_role;
