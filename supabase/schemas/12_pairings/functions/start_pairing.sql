-- Why: a signed-out desktop asks to be signed in (specification: POST /api/auth/pair/start). Service only: there is no
-- user yet. The app generates both secrets and sends their SHA-256. First the limit per address, then a cap on all
-- waiting pairings. Rows older than a day are deleted here, so the table stays small whatever strangers do.
create function operations.start_pairing(
  p_mobile_secret_hash text, p_desktop_token_hash text, p_address_key text,
  p_user_agent text default null, p_ip text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_id uuid := gen_random_uuid();
begin
  perform private.take_rate_limit('pair_start', p_address_key);

  delete from public.login_pairings where id in (
    select p.id from public.login_pairings p
    where p.created_at < v_now - interval '1 day' order by p.created_at limit 100 for update skip locked);

  if (select count(*) from (
    select from public.login_pairings p where p.status = 'PENDING' and p.expires_at > v_now limit 10000) waiting) >= 10000 then
    raise exception using errcode = 'PT429', message = 'Too many devices are waiting to sign in. Try again in a minute.',
      detail = '{"retry_after":60}';
  end if;

  insert into public.login_pairings (
    id, mobile_secret_hash, desktop_token_hash, desktop_ua, desktop_ip, check_code, expires_at, created_at)
  values (
    v_id, decode(p_mobile_secret_hash, 'hex'), decode(p_desktop_token_hash, 'hex'),
    left(p_user_agent, 255), left(p_ip, 45), private.pairing_check_code(v_id), v_now + interval '5 minutes', v_now);
  return json_build_object('pairing_id', v_id, 'expires_at', v_now + interval '5 minutes');
end;
$$;

comment on function operations.start_pairing is
  'A new pending pairing of a desktop (specification: Login pairing, Limits). Service only.';
grant execute on function operations.start_pairing to service_role;

-- Why: both screens show the same six digits, so that a person sees which desktop the phone is asking about. They
-- derive from the id, which is no secret, so no answer needs to carry them (app/contract/pairing.ts computes the same).
create function private.pairing_check_code(p_pairing_id uuid)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return regexp_replace(
    lpad((('x' || left(replace(p_pairing_id::text, '-', ''), 8))::bit(32)::bigint % 1000000)::text, 6, '0'),
    '^(...)', '\1 ');
end;
$$;

comment on function private.pairing_check_code is 'Six digits that both devices show for a pairing.';

grant execute on function private.pairing_check_code to service_role;
