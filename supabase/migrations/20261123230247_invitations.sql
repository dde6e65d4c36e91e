-- Why: the owner of a product invites by a link, without mail; one person joins with it.
set local check_function_bodies = off;

CREATE TABLE "public"."product_invitations" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "role" public.member_role NOT NULL, "code_hash" bytea NOT NULL, "created_by" uuid NOT NULL, "reserved_until" timestamp with time zone, CONSTRAINT "product_invitations_code_hash_key" UNIQUE (code_hash), CONSTRAINT "product_invitations_code_hash_length" CHECK ((octet_length(code_hash) = 32)), CONSTRAINT "product_invitations_never_owner" CHECK ((role <> 'OWNER'::public.member_role)), CONSTRAINT "product_invitations_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "expires_at" timestamp with time zone NOT NULL DEFAULT (private.now() + '7 days'::interval));

ALTER TABLE "public"."product_invitations" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION operations.create_invitation(p_product_id uuid, p_role text, p_code_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_role public.member_role;
  v_invitation public.product_invitations;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);
  if p_code_hash !~ '^[0-9a-f]{64}$' then
    perform private.refuse(422, 'code_hash is the SHA-256 of the code, in hexadecimal.');
  end if;
  delete from public.product_invitations i where i.product_id = p_product_id and i.expires_at <= private.now();
  if (select count(*) from public.product_invitations i where i.product_id = p_product_id) >= 50 then
    perform private.refuse(409, 'The product has 50 open invitations. Revoke one that nobody needs.');
  end if;
  insert into public.product_invitations (product_id, role, code_hash, created_by)
  values (p_product_id, v_role, decode(p_code_hash, 'hex'), auth.uid())
  returning * into v_invitation;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.created',
    jsonb_build_object('product_id', p_product_id, 'invitation_id', v_invitation.id, 'role', v_role));
  return json_build_object('id', v_invitation.id, 'role', v_role, 'expires_at', v_invitation.expires_at);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.find_invitation(p_code_hash text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_invitation json;
begin
  select json_build_object('role', i.role, 'product_name', p.name, 'invited_by', u.username, 'expires_at', i.expires_at)
  into v_invitation
  from public.product_invitations i
  join public.products p on p.id = i.product_id and p.archived_at is null
  join public.users u on u.id = i.created_by
  where i.code_hash = decode(p_code_hash, 'hex') and i.expires_at > private.now();
  if v_invitation is null then
    perform private.refuse(404, 'This invitation was used or revoked, or it has expired. Ask for a new one.');
  end if;
  return v_invitation;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.join_product(p_code_hash text, p_reserved boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid;
  v_invitation public.product_invitations;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('join', auth.uid()::text);
  select i.product_id into v_product_id from public.product_invitations i where i.code_hash = decode(p_code_hash, 'hex');
  if v_product_id is not null then
    perform private.lock_product(v_product_id);
    perform private.require_product_write(v_product_id, true);
    if exists (select from public.product_members m where m.product_id = v_product_id and m.user_id = auth.uid()) then
      perform private.refuse(409, 'You are already in this product.');
    end if;
    delete from public.product_invitations i
    where i.code_hash = decode(p_code_hash, 'hex') and i.expires_at > private.now()
      and (p_reserved or coalesce(i.reserved_until, '-infinity') <= private.now())
    returning i.* into v_invitation;
  end if;
  if v_invitation.id is null then
    perform private.refuse(404, 'This invitation was used or revoked, or it has expired. Ask for a new one.');
  end if;
  insert into public.product_members (product_id, user_id, role) values (v_product_id, auth.uid(), v_invitation.role);
  perform private.audit(auth.uid(), auth.uid(), 'invitation.used', jsonb_build_object('product_id', v_product_id,
    'invitation_id', v_invitation.id, 'role', v_invitation.role, 'invited_by', v_invitation.created_by));
  return json_build_object('product_id', v_product_id, 'role', v_invitation.role);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_invitations(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('invitations', (
    select coalesce(json_agg(json_build_object('id', i.id, 'role', i.role, 'invited_by', private.username(i.created_by),
      'created_at', i.created_at, 'expires_at', i.expires_at) order by i.created_at desc, i.id), '[]')
    from public.product_invitations i
    where i.product_id = p_product_id and i.expires_at > private.now()));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.reserve_invitation(p_code_hash text, p_release boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_invitation(p_invitation_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_invitation public.product_invitations;
begin
  select i.* into v_invitation from public.product_invitations i where i.id = p_invitation_id;
  if not found then
    perform private.refuse(404, 'No such invitation. It was used or revoked, or it has expired.');
  end if;
  perform private.require_write('product', v_invitation.product_id);
  perform private.require_product_owner(v_invitation.product_id);
  delete from public.product_invitations i where i.id = p_invitation_id;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.revoked',
    jsonb_build_object('product_id', v_invitation.product_id, 'invitation_id', p_invitation_id));
  return json_build_object('id', p_invitation_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      ('oauth_register', 20, 600),
      ('oauth_token', 120, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('join', 20, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('oauth_consent', 100, 600),
      ('client_document', 60, 60),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('label', 60, 60),
      ('comment', 60, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

ALTER TABLE "public"."product_invitations" ADD CONSTRAINT "product_invitations_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."product_invitations" ADD CONSTRAINT "product_invitations_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE INDEX product_invitations_created_by_idx ON public.product_invitations USING btree (created_by);

CREATE INDEX product_invitations_product_id_idx ON public.product_invitations USING btree (product_id);

CREATE POLICY "product_invitations_select" ON "public"."product_invitations" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.owned_product_ids() AS owned_product_ids)));

COMMENT ON COLUMN "public"."product_invitations"."code_hash" IS 'SHA-256 of the code in the link, which is shown once.';

COMMENT ON FUNCTION "operations"."create_invitation"(uuid, text, text) IS 'An invitation to a product by link, owner only.';

COMMENT ON FUNCTION "operations"."find_invitation"(text) IS 'What a link invites to. Service only.';

COMMENT ON FUNCTION "operations"."join_product"(text, boolean) IS 'The caller joins a product by the code of a link.';

COMMENT ON FUNCTION "operations"."list_invitations"(uuid) IS 'Open invitations to a product, owner only.';

COMMENT ON FUNCTION "operations"."reserve_invitation"(text, boolean) IS 'Keeps a link for whoever registers with it. Service only.';

COMMENT ON FUNCTION "operations"."revoke_invitation"(uuid) IS 'Ends an open invitation, owner only.';

COMMENT ON TABLE "public"."product_invitations" IS 'Open invitations to products, by link.';

REVOKE ALL ON FUNCTION "operations"."create_invitation"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_invitation"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."find_invitation"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."find_invitation"(text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."join_product"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."join_product"(text, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_invitations"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_invitations"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."reserve_invitation"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."reserve_invitation"(text, boolean) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."revoke_invitation"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."revoke_invitation"(uuid) TO "authenticated", "postgres";

GRANT SELECT ("created_by") ON TABLE "public"."product_invitations" TO "authenticated";

GRANT SELECT ("id") ON TABLE "public"."product_invitations" TO "authenticated";

GRANT SELECT ("product_id") ON TABLE "public"."product_invitations" TO "authenticated";

GRANT SELECT ("role") ON TABLE "public"."product_invitations" TO "authenticated";

GRANT ALL ON TABLE "public"."product_invitations" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."product_invitations" TO "service_role";

GRANT SELECT ("created_at") ON TABLE "public"."product_invitations" TO "authenticated";

GRANT SELECT ("expires_at") ON TABLE "public"."product_invitations" TO "authenticated";
