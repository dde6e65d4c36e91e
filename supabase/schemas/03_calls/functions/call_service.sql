-- Why: the service's own calls, before there is a user (sign-in, limits) or without one (schedules, the outbox), use
-- one entry point as users' calls do. Called by the app with the secret key (service_role only).
-- Unknown operation, or one for users: PT404; then those of the operation.
create function public.call_service(p_function text, p_arguments jsonb default '{}')
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_answer json;
begin
  execute (private.build_call('service_role', p_function, p_arguments)).p_statement into v_answer using p_arguments;
  return v_answer;
end;
$$;

comment on function public.call_service is 'Runs one operation of the service itself. Service only.';
grant execute on function public.call_service to service_role;
