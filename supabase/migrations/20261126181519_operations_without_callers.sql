-- Why: no endpoint, tool or page called create_agent_job, which only refused, or sweep_expired_leases, whose work sweep does.
set local check_function_bodies = off;

DROP FUNCTION "operations"."create_agent_job"(uuid);

DROP FUNCTION "operations"."sweep_expired_leases"();
