-- Why: folders that ran the single steps up to 2026-11-25 become those of 0.3.0 (supabase/embedded/migrate.ts).
set local check_function_bodies = off;

COMMENT ON FUNCTION "operations"."accept_story"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."account_identity"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."add_comment"(text, uuid, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."add_dependency"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."add_evidence"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."add_file"(uuid, text, text, text, uuid, uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."add_job_comment"(uuid, integer, text, integer, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."add_story_to_sprint"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."admin_list_users"(text) IS NULL;

COMMENT ON FUNCTION "operations"."admin_update_user"(uuid, text, boolean, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."allow_my_workers"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."answer_invitation"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."answer_question"(uuid, text, integer) IS NULL;

COMMENT ON FUNCTION "operations"."answer_user_question"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."append_job_output"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."append_story_log"(uuid, text, text, text, text, text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."approve_pairing"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."archive_idea"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."archive_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."ask_about_idea"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."ask_question"(text, uuid, uuid, uuid, jsonb, integer, uuid, integer, text, uuid, boolean, uuid, integer, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."assign_story"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_agent_job"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_pairing"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_question"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."cancel_sprint_run"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."change_things"(jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."check_queue_empty"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."claim_identity_checks"(text, integer, integer) IS NULL;

COMMENT ON FUNCTION "operations"."claim_pairing"(uuid, text, text, text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."claim_schedule_run"(text, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."cleanup_agent_artifacts"() IS NULL;

COMMENT ON FUNCTION "operations"."complete_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."configure_account"(uuid, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_agent_job"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."create_api_token"(text, text, text, integer, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."create_from_list"(jsonb, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."create_idea"(uuid, text, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_invitation"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."create_label"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."create_oauth_code"(uuid, uuid, text, text, text, text, text, text, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."create_pbi"(uuid, text, text, text, integer, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_saved_view"(uuid, text, text, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_session"(uuid, text, text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."create_sprint"(uuid, text, date, date) IS NULL;

COMMENT ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."create_webhook"(uuid, text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."decline_story"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_budget"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_comment"(text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_file"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_job_comment"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_label"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_pbi"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_product"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."delete_recurrence"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_saved_view"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_story"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_task"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."delete_webhook"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."discard_import"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."doctor_facts"() IS NULL;

COMMENT ON FUNCTION "operations"."edit_comment"(text, uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."edit_task"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."end_identity"(text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."end_session"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."enrol_member"(uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."expire_questions"() IS NULL;

COMMENT ON FUNCTION "operations"."export_file"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."export_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."find_identity_account"(text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."find_invitation"(text) IS NULL;

COMMENT ON FUNCTION "operations"."find_login_identity"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."find_lost_viewers"(jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."find_wrong_counters"() IS NULL;

COMMENT ON FUNCTION "operations"."finish_schedule_run"(text, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."fire_recurrence"(uuid, timestamp with time zone, timestamp with time zone, boolean, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."get_agent_context"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_agent_job"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_avatar"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_backlog"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_backlog_tree"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_branch"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_budgets"(uuid, uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_dashboard"() IS NULL;

COMMENT ON FUNCTION "operations"."get_forecast"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_idea"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_idea_conversation"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_inbox"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."get_insights"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_intake_hook"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_issue_label"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_job_diff"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "operations"."get_job_output"(uuid, integer, bigint, integer) IS NULL;

COMMENT ON FUNCTION "operations"."get_job_proof"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_metrics"() IS NULL;

COMMENT ON FUNCTION "operations"."get_next_story"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_notifications_state"() IS NULL;

COMMENT ON FUNCTION "operations"."get_oauth_client"(text) IS NULL;

COMMENT ON FUNCTION "operations"."get_pairing_for_approval"(uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."get_pairing_state"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."get_pbi"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_profile"() IS NULL;

COMMENT ON FUNCTION "operations"."get_proof"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_question"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_recurrence"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_shell"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_solo_board"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_solo_state"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint_board"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint_context"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint_review"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_sprint_run"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_story"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_story_page"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_task_detail"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."get_task_page"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."give_back_limit"(text, text) IS NULL;

COMMENT ON FUNCTION "operations"."has_accounts"() IS NULL;

COMMENT ON FUNCTION "operations"."heartbeat_agent_job"(uuid, integer, integer, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."import_backlog"(jsonb, uuid, text, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."import_dependencies"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."import_file"(uuid, jsonb, text) IS NULL;

COMMENT ON FUNCTION "operations"."import_ideas"(uuid, uuid, jsonb, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."import_product"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."import_stories"(uuid, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."invite_person"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."issue_api_token"(uuid, text, text, text, integer) IS NULL;

COMMENT ON FUNCTION "operations"."join_product"(text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."keep_identity"(text, text, text, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."leave_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."link_idea_product"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."link_identity"(text, text, uuid, boolean, text) IS NULL;

COMMENT ON FUNCTION "operations"."list_agent_jobs"(uuid, uuid, text, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_agent_workers"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_api_tokens"() IS NULL;

COMMENT ON FUNCTION "operations"."list_audit_events"(boolean, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."list_candidates"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."list_comments"(text, uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_dependencies"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_due_recurrences"() IS NULL;

COMMENT ON FUNCTION "operations"."list_files"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_grants"() IS NULL;

COMMENT ON FUNCTION "operations"."list_ideas"(uuid, boolean, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_invitations"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_job_comments"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_job_messages"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_labels"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_landings"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_model_prices"() IS NULL;

COMMENT ON FUNCTION "operations"."list_open_user_questions"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_pbi_stories"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_product_members"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_product_overviews"(boolean) IS NULL;

COMMENT ON FUNCTION "operations"."list_products"() IS NULL;

COMMENT ON FUNCTION "operations"."list_pulls"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."list_push_subscriptions"() IS NULL;

COMMENT ON FUNCTION "operations"."list_questions"(uuid, text, uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_ready"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "operations"."list_run_order"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_saved_views"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."list_sent_messages"(jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."list_sessions"() IS NULL;

COMMENT ON FUNCTION "operations"."list_sprint_runs"(uuid, uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_sprint_tasks"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "operations"."list_sprints"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_story_logs"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_story_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_triage"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_webhook_deliveries"(uuid, integer, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."list_webhooks"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."mark_inbox_item"(text, uuid, text, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."mark_notice"(uuid, boolean, integer, text, boolean, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."mark_pbi_pr_merged"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."merge_story"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."message_job"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."move_pbi"(uuid, uuid, uuid, integer) IS NULL;

COMMENT ON FUNCTION "operations"."move_stories"(jsonb, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."move_task"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."next_issue_note"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."next_landing"(uuid, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."observe_issues"(uuid, text, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."observe_pulls"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."password_changed"(uuid, uuid, boolean, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."pause_sprint_run"(uuid, text, text, jsonb, uuid, integer, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."ping"() IS NULL;

COMMENT ON FUNCTION "operations"."ping_webhook"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."place_files"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."preflight_sprint_run"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."promote_idea"(uuid, uuid, text, text, text, integer) IS NULL;

COMMENT ON FUNCTION "operations"."read_backlog_stream"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."read_job_stream"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."read_notifications_stream"() IS NULL;

COMMENT ON FUNCTION "operations"."read_solo_stream"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."receive_item"(text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."redeem_oauth_code"(text, text, text, text, text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."register_oauth_client"(text, text, jsonb, text) IS NULL;

COMMENT ON FUNCTION "operations"."remove_dependency"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."remove_product_member"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."remove_story_from_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."report_agent_job"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."report_issue_note"(uuid, uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."report_job_conflict"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."report_job_usage"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."report_landing"(uuid, uuid, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."report_merged"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."reserve_invitation"(text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."resolve_account"(text) IS NULL;

COMMENT ON FUNCTION "operations"."resolve_product"(text) IS NULL;

COMMENT ON FUNCTION "operations"."resolve_reference"(text, text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."restart_worker"(text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."restore_idea"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."restore_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."resume_sprint_run"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."review_job"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_api_token"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_intake_hook"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_invitation"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_oauth_token"(text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_other_sessions"() IS NULL;

COMMENT ON FUNCTION "operations"."revoke_pairing"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."revoke_session"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."save_job_diff"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."search"(text, uuid, text, integer, text) IS NULL;

COMMENT ON FUNCTION "operations"."send_probe"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."set_active_product"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."set_avatar"(text, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_budget"(uuid, text, text, numeric, text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."set_budget_settings"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."set_intake_hook"(uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_member_role"(uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_model_price"(text, numeric, numeric, numeric, numeric, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_pbi_pr"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."set_recurrence"(uuid, text, text, text, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "operations"."set_task_status"(uuid, text, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."start_over"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."start_pairing"(text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."start_run"(jsonb, uuid, text, boolean, boolean, boolean, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."start_sprint"(uuid) IS NULL;

COMMENT ON FUNCTION "operations"."start_sprint_run"(uuid, jsonb, boolean, boolean, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."subscribe_push"(text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."sweep"(boolean) IS NULL;

COMMENT ON FUNCTION "operations"."sweep_expired_leases"() IS NULL;

COMMENT ON FUNCTION "operations"."take_due_notices"(integer, integer) IS NULL;

COMMENT ON FUNCTION "operations"."take_limit"(text, text) IS NULL;

COMMENT ON FUNCTION "operations"."taken_file_ids"(jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."undo_change"() IS NULL;

COMMENT ON FUNCTION "operations"."unlink_idea_product"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."unsubscribe_push"(uuid, text) IS NULL;

COMMENT ON FUNCTION "operations"."update_idea"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_label"(uuid, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_pbi"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_product"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_profile"(text, integer, text) IS NULL;

COMMENT ON FUNCTION "operations"."update_saved_view"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_sprint"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_story"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_task"(uuid, text, text, boolean, text, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "operations"."update_task_execution"(uuid, integer, uuid, text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."update_webhook"(uuid, text, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "operations"."verify_sprint_task"(uuid, integer, uuid, text, jsonb, jsonb, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."verify_task_against_plan"(uuid, integer, text, jsonb, jsonb, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."waive_criterion"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "operations"."why_not_moving"(text, uuid) IS NULL;

COMMENT ON FUNCTION "operations"."worker_heartbeat"(text, text, text, integer, boolean, jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."access_token_lifetime"() IS NULL;

COMMENT ON FUNCTION "private"."accessible_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."act_on_budget_answer"(public.agent_questions, integer) IS NULL;

COMMENT ON FUNCTION "private"."act_on_reach_answer"(public.agent_questions, integer) IS NULL;

COMMENT ON FUNCTION "private"."active_run_of_task"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."add_dependencies"(text, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."add_up_budget"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."adopt_files"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."agent_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."answer_chat"(public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."answer_pairing"(uuid, text, public.pairing_status) IS NULL;

COMMENT ON FUNCTION "private"."are_hosts"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."ask_about_proof"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."ask_person"(public.agent_jobs, boolean, text) IS NULL;

COMMENT ON FUNCTION "private"."attempt_state"(public.agent_jobs, integer) IS NULL;

COMMENT ON FUNCTION "private"."attempt_usage_json"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."attempt_used"(uuid, integer, text) IS NULL;

COMMENT ON FUNCTION "private"."attempt_words"(public.agent_jobs, integer, text) IS NULL;

COMMENT ON FUNCTION "private"."attempts_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."audit"(uuid, uuid, text, jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."awaited_heads"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."awaited_work"(uuid[], integer) IS NULL;

COMMENT ON FUNCTION "private"."base_refs"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."batch_executions"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."beginnings"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."begins_from"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."blocker_json"(uuid, text, text, text, boolean) IS NULL;

COMMENT ON FUNCTION "private"."blockers_sentence"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."board_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."branch_part"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."bring_item"(uuid, text, text, text, text, text) IS NULL;

COMMENT ON FUNCTION "private"."bring_next_in_turn"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."budget_amount_text"(numeric, text) IS NULL;

COMMENT ON FUNCTION "private"."budget_at_work"(public.budgets, uuid) IS NULL;

COMMENT ON FUNCTION "private"."budget_covers"(public.budgets, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."budget_json"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_left"(public.agent_jobs, private.budget_room[]) IS NULL;

COMMENT ON FUNCTION "private"."budget_metrics"() IS NULL;

COMMENT ON FUNCTION "private"."budget_name"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_need"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."budget_payload"(public.agent_jobs, private.budget_room[]) IS NULL;

COMMENT ON FUNCTION "private"."budget_raise"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_reasons"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."budget_settings_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."budget_spent"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_stop_text"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."budget_warnings"(public.sprints) IS NULL;

COMMENT ON FUNCTION "private"."budget_window"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."build_call"(text, text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."burndown"(public.sprints) IS NULL;

COMMENT ON FUNCTION "private"."call_scheduled_endpoint"(text) IS NULL;

COMMENT ON FUNCTION "private"."carry_out_expiry"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."change_event"(text, text, jsonb, jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."change_label"(text, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."change_sprint_status"(uuid, public.sprint_status, public.sprint_status) IS NULL;

COMMENT ON FUNCTION "private"."change_thing"(text, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."changed_fields"(jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."changed_job_fields"(public.agent_jobs, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."changed_task_fields"(public.tasks, public.tasks) IS NULL;

COMMENT ON FUNCTION "private"."chat_questions"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."check_observation"(jsonb, public.evidence_grade, integer) IS NULL;

COMMENT ON FUNCTION "private"."check_private_question"(public.question_kind, uuid, uuid, uuid, text, text) IS NULL;

COMMENT ON FUNCTION "private"."check_question"(text, jsonb, integer, integer, text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."check_webhook"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."ci_words"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."classify_diff"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."close_question"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."closed_budgets"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."code_of"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."code_taken"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "private"."comes_with_batch"(uuid, uuid, text, uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."comment_json"(public.job_comments) IS NULL;

COMMENT ON FUNCTION "private"."comment_path"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."comment_words"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."complete_run"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."conflict_payload"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."conflict_reasons"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."conflict_rival"(public.agent_jobs, text, text) IS NULL;

COMMENT ON FUNCTION "private"."continue_run"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."copy_template"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."cost_insights"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."costs_of"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."count_open_blockers"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."create_batch_job"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."create_run"(public.sprints, public.products, public.sprint_runs, uuid[], boolean) IS NULL;

COMMENT ON FUNCTION "private"."criteria_of"(text, text) IS NULL;

COMMENT ON FUNCTION "private"."criteria_payload"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."criterion_id"(text) IS NULL;

COMMENT ON FUNCTION "private"."current_job_id"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."current_row"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."current_session_id"() IS NULL;

COMMENT ON FUNCTION "private"."deadlock_blockers"(public.products, uuid[], uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."decide_conflict"(public.agent_jobs, text, text, public.agent_jobs, boolean) IS NULL;

COMMENT ON FUNCTION "private"."decline_issue"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."dependencies_json"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."dependency_blockers"(uuid, uuid[], uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."dependency_reasons"(uuid[], uuid) IS NULL;

COMMENT ON FUNCTION "private"."derived_pbi_status"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."derived_story_status"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."doing_now"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."done_words"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."drop_output_middle"(public.job_attempts) IS NULL;

COMMENT ON FUNCTION "private"."due_issue_notes"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."earlier_attempts"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."earlier_jobs"(public.agent_jobs, uuid) IS NULL;

COMMENT ON FUNCTION "private"."emit"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts) IS NULL;

COMMENT ON FUNCTION "private"."emit_story_change"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."emit_task_change"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."emit_to_members"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."end_access"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."end_grant"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."end_landing"(public.landings, text, text, text) IS NULL;

COMMENT ON FUNCTION "private"."end_run"(public.sprint_runs, public.sprint_run_status, text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."end_session_chain"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."end_sessions"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."end_unconfirmed"(text, interval) IS NULL;

COMMENT ON FUNCTION "private"."ensure_worker"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."enter_phase"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."estimates_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."evidence_json"(public.evidence, boolean) IS NULL;

COMMENT ON FUNCTION "private"."execution_json"(public.task_executions) IS NULL;

COMMENT ON FUNCTION "private"."expected_use"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "private"."export_blocked_by"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_comments"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_evidence"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_files"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_ideas"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_log"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_reviews"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_stories"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."export_time"(timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."export_waivers"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."field_versions"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."file_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."files_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."find_blocker"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."find_matches"(text, uuid, text, integer, integer) IS NULL;

COMMENT ON FUNCTION "private"."find_path"(text, uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."find_reference"(text, text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."findings"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."finish_outcome"(public.agent_jobs, text, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."finished_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."finished_use"(uuid, text, integer) IS NULL;

COMMENT ON FUNCTION "private"."finishes_story"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."first_open_story"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."fits_budgets"(uuid, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."follow_landing"(public.pulls, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."follow_pull"(public.pulls, public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."followers"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."follows_unlanded"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."format_code"(text, bigint) IS NULL;

COMMENT ON FUNCTION "private"."fresh_starts_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."frozen_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."full_budgets"(private.budget_room[]) IS NULL;

COMMENT ON FUNCTION "private"."gate"(public.verify_required, public.verify_result, boolean) IS NULL;

COMMENT ON FUNCTION "private"."get_sprint_burndown"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."give_back_job"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."hand_over_messages"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."has_arrived"(uuid, text, uuid, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."has_criteria"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."has_landed"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."has_open_copy"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."has_passed_ci"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."has_product_access"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean) IS NULL;

COMMENT ON FUNCTION "private"."held_by_runs"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."held_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."hold_execution"(public.agent_jobs, uuid) IS NULL;

COMMENT ON FUNCTION "private"."hold_job"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."holds_task"(uuid, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."idea_payload"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."import_comments"(uuid, text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."import_labels"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."import_proof"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."import_reviews"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."import_rows"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."imported_file"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."imported_reviews"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."inbox_count"() IS NULL;

COMMENT ON FUNCTION "private"."inbox_item_json"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."inbox_items"() IS NULL;

COMMENT ON FUNCTION "private"."inbox_state"(timestamp with time zone, public.inbox_marks) IS NULL;

COMMENT ON FUNCTION "private"."insert_dependency"(text, uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."insert_evidence"(uuid, jsonb, public.evidence_grade, integer, public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."install_schedules"() IS NULL;

COMMENT ON FUNCTION "private"."intake_pbi"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_address_confirmed"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_admin"() IS NULL;

COMMENT ON FUNCTION "private"."is_budget_reached"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."is_demo"() IS NULL;

COMMENT ON FUNCTION "private"."is_evidence"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_first"(public.pulls, text, text, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."is_followed"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."is_for_person"(public.agent_jobs, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."is_fresh"(public.evidence, public.story_heads) IS NULL;

COMMENT ON FUNCTION "private"."is_held"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_host"(text) IS NULL;

COMMENT ON FUNCTION "private"."is_in_part"(public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."is_lane_held"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_left_to_owner"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."is_oauth_client"(text) IS NULL;

COMMENT ON FUNCTION "private"."is_online"(timestamp with time zone, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."is_open_to_token"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."is_product_budget_reached"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."is_taken_up"(public.stories) IS NULL;

COMMENT ON FUNCTION "private"."is_there_already"(jsonb, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."is_token"() IS NULL;

COMMENT ON FUNCTION "private"."is_worked_on"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."issue_words"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."item_comment_json"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."job_costs"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."job_dependency_reasons"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."job_json"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."job_metrics"() IS NULL;

COMMENT ON FUNCTION "private"."job_of_branch"(uuid, text, text) IS NULL;

COMMENT ON FUNCTION "private"."job_payload"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."job_questions"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."job_reasons"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."jobs_to_finish"(public.sprint_runs, public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."keep_answer"(uuid, text, json) IS NULL;

COMMENT ON FUNCTION "private"."keep_personal_invitation"(uuid, uuid, public.member_role) IS NULL;

COMMENT ON FUNCTION "private"."keep_plan"(public.agent_jobs, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."keep_usage_so_far"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."kept_back"(jsonb, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."kept_call_lifetime"() IS NULL;

COMMENT ON FUNCTION "private"."known_item"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."label_change"(jsonb, uuid) IS NULL;

COMMENT ON FUNCTION "private"."label_ids_named"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."label_names"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."labels_of"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."landing_insights"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."landing_json"(public.landings) IS NULL;

COMMENT ON FUNCTION "private"."landing_queue"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."landing_words"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."last_line"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."leaders"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."lease"() IS NULL;

COMMENT ON FUNCTION "private"."list_items"(text) IS NULL;

COMMENT ON FUNCTION "private"."listed_file_json"(public.files) IS NULL;

COMMENT ON FUNCTION "private"."lock_attempt"(public.agent_jobs, integer) IS NULL;

COMMENT ON FUNCTION "private"."lock_comment"(text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_for_budget"(uuid, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."lock_job"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."lock_part"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_product"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_question"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."lock_run"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."lost_with"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."make_room_for_diffs"(uuid, bigint) IS NULL;

COMMENT ON FUNCTION "private"."may_change_view"(public.saved_views) IS NULL;

COMMENT ON FUNCTION "private"."may_read_talk"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."may_set_budgets"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."member_named"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."mention_members"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."messages_json"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."missing_proof"(uuid[], public.evidence_grade) IS NULL;

COMMENT ON FUNCTION "private"."model_of_worker"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."new_faults"(public.pulls, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."next_code"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."next_label_color"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[], boolean, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."normalised_title"(text) IS NULL;

COMMENT ON FUNCTION "private"."note_attempt"(public.agent_jobs, private.job_report) IS NULL;

COMMENT ON FUNCTION "private"."note_budget_step"(public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."note_conflict"(public.agent_jobs, public.agent_jobs, jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."note_head"(uuid, public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."note_merged"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."note_merged_requests"(uuid, uuid, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."note_pull"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."note_released"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."note_usage_so_far"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."note_wrong_pairing_secret"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."now"() IS NULL;

COMMENT ON FUNCTION "private"."oauth_answer"(text[]) IS NULL;

COMMENT ON FUNCTION "private"."oauth_refusal"(text) IS NULL;

COMMENT ON FUNCTION "private"."one_line"(text) IS NULL;

COMMENT ON FUNCTION "private"."open_messages"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."open_pause_question"(public.sprint_runs, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."open_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."order_by_dependencies"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."order_runs"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."own_fields"(text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."own_run_branch"(public.products, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."own_session_id"() IS NULL;

COMMENT ON FUNCTION "private"."owned_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."pairing_check_code"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."park_job"(public.agent_jobs, uuid) IS NULL;

COMMENT ON FUNCTION "private"."parse_choice"(text, text, text[]) IS NULL;

COMMENT ON FUNCTION "private"."parse_task_status"(text) IS NULL;

COMMENT ON FUNCTION "private"."pass_review"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."pass_turn"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."passed_before"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."pause_for_budget"(public.sprint_runs, public.budgets, uuid) IS NULL;

COMMENT ON FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid, text[]) IS NULL;

COMMENT ON FUNCTION "private"."pbi_place"(uuid, integer, uuid, uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."phase_after"(public.agent_jobs, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."phase_after_verify"(public.agent_jobs, public.done_requires) IS NULL;

COMMENT ON FUNCTION "private"."place_of_comment"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."plans_first"(public.products, boolean) IS NULL;

COMMENT ON FUNCTION "private"."previous_failure"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."price_of"(text) IS NULL;

COMMENT ON FUNCTION "private"."price_usage"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."product_of"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."products_past_due"() IS NULL;

COMMENT ON FUNCTION "private"."products_with_due_budgets"() IS NULL;

COMMENT ON FUNCTION "private"."products_without_consent"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."proof_count"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."proof_gap"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."proof_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."pull_json"(public.pulls) IS NULL;

COMMENT ON FUNCTION "private"."pull_reason"(public.agent_jobs, public.pulls) IS NULL;

COMMENT ON FUNCTION "private"."pull_reasons"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."put_budget"(uuid, text, text, uuid, text, numeric) IS NULL;

COMMENT ON FUNCTION "private"."question_json"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."question_status"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."question_target"(uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."queue_notices"(text, uuid, uuid, boolean, text, text, text, jsonb, uuid) IS NULL;

COMMENT ON FUNCTION "private"."quota_reason"(uuid, integer) IS NULL;

COMMENT ON FUNCTION "private"."quoted"(text) IS NULL;

COMMENT ON FUNCTION "private"."raise_budget"(public.budgets, numeric) IS NULL;

COMMENT ON FUNCTION "private"."rate_limit"(text) IS NULL;

COMMENT ON FUNCTION "private"."record_ci"(public.pulls, public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."record_evidence"(public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) IS NULL;

COMMENT ON FUNCTION "private"."record_usage_event"(public.agent_jobs, integer, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, private.job_report) IS NULL;

COMMENT ON FUNCTION "private"."recount_blockers"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."recurrence_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."refuse"(integer, text, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."refuse_attempt"(public.agent_jobs, integer, text) IS NULL;

COMMENT ON FUNCTION "private"."refuse_cycle"(text, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."refuse_evidence"(integer, text, text) IS NULL;

COMMENT ON FUNCTION "private"."refuse_gate"(public.verify_required, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."refuse_moved_cycle"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."refuse_similar"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."refuse_triage"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."refuse_unproven"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."refuse_waiting"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."reject_review"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."release_held_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."released"() IS NULL;

COMMENT ON FUNCTION "private"."remember_change"(text, uuid, uuid, text, jsonb, jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."remove_stale_rows"() IS NULL;

COMMENT ON FUNCTION "private"."reopen_job"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reopen_run"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reopen_tasks"(public.agent_jobs, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."repeats_report"(public.agent_jobs, text, text, public.failure_class, public.verify_result) IS NULL;

COMMENT ON FUNCTION "private"."reports_usage"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."repository_advice"(text) IS NULL;

COMMENT ON FUNCTION "private"."requeue_expired_leases"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."requeue_lost_job"(public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."require_access"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_admin"() IS NULL;

COMMENT ON FUNCTION "private"."require_assignee"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_blocker"(text, uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."require_budget_left"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."require_choice"(text, text, text[]) IS NULL;

COMMENT ON FUNCTION "private"."require_comment_body"(text) IS NULL;

COMMENT ON FUNCTION "private"."require_comment_place"(text) IS NULL;

COMMENT ON FUNCTION "private"."require_commenter"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_criterion"(uuid, text, integer) IS NULL;

COMMENT ON FUNCTION "private"."require_dates_in_order"(date, date) IS NULL;

COMMENT ON FUNCTION "private"."require_evidence_file"(uuid, jsonb, text, integer) IS NULL;

COMMENT ON FUNCTION "private"."require_file_place"(uuid, uuid, uuid, uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_idea_write"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_job"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_job_reader"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_label"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_label_name"(uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_labels"(uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."require_link"(text, text) IS NULL;

COMMENT ON FUNCTION "private"."require_look"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."require_no_demo"() IS NULL;

COMMENT ON FUNCTION "private"."require_no_viewer"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_one_product"(uuid[], uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_own_idea"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_own_view"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_pairing_guesses_left"(public.login_pairings, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_person"() IS NULL;

COMMENT ON FUNCTION "private"."require_product_access"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_product_owner"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_product_write"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."require_proof"(uuid, public.task_status) IS NULL;

COMMENT ON FUNCTION "private"."require_question_reader"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."require_review"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."require_reviewable"(public.agent_jobs, text) IS NULL;

COMMENT ON FUNCTION "private"."require_reviewer"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."require_run"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_scope"(text[], text) IS NULL;

COMMENT ON FUNCTION "private"."require_set_aside"(public.stories) IS NULL;

COMMENT ON FUNCTION "private"."require_stream_product"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_triage"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_unlimited_token"() IS NULL;

COMMENT ON FUNCTION "private"."require_version"(text, uuid, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."require_view_name"(uuid, text, uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_webhook"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_write"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."require_writer"() IS NULL;

COMMENT ON FUNCTION "private"."reserve_budget"(public.agent_jobs, private.budget_room[]) IS NULL;

COMMENT ON FUNCTION "private"."resolve_credential"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."restore_fields"(private.changes) IS NULL;

COMMENT ON FUNCTION "private"."restore_thing"(private.changes) IS NULL;

COMMENT ON FUNCTION "private"."restore_unmerged"(private.changes) IS NULL;

COMMENT ON FUNCTION "private"."resume_batch_run"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."return_for_pull"(public.pulls, public.agent_jobs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."return_work"(public.agent_jobs, text, text, text) IS NULL;

COMMENT ON FUNCTION "private"."review_costs"(uuid[], uuid) IS NULL;

COMMENT ON FUNCTION "private"."review_evidence"(uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."review_json"(public.job_reviews) IS NULL;

COMMENT ON FUNCTION "private"."review_payload"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reviewed_job"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."reviewed_story"(public.stories, uuid, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."run_begins_from"(uuid, public.pr_strategy) IS NULL;

COMMENT ON FUNCTION "private"."run_blockers"(public.sprints, public.products, uuid[], uuid[], boolean, boolean) IS NULL;

COMMENT ON FUNCTION "private"."run_branch"(public.sprints, public.products) IS NULL;

COMMENT ON FUNCTION "private"."run_json"(public.sprint_runs, boolean) IS NULL;

COMMENT ON FUNCTION "private"."run_overlaps"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."run_reasons"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."run_scope"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."run_subject"(public.sprint_runs) IS NULL;

COMMENT ON FUNCTION "private"."run_tasks"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."run_with_work"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."sandbox_advice"() IS NULL;

COMMENT ON FUNCTION "private"."saved_view_json"(public.saved_views) IS NULL;

COMMENT ON FUNCTION "private"."saved_views_of"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."scope_of_words"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."scoped_words"(uuid, text, text, text) IS NULL;

COMMENT ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) IS NULL;

COMMENT ON FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean) IS NULL;

COMMENT ON FUNCTION "private"."send_events"() IS NULL;

COMMENT ON FUNCTION "private"."send_to_agent"(public.comments) IS NULL;

COMMENT ON FUNCTION "private"."set_dependency_release"(uuid, public.dependency_release) IS NULL;

COMMENT ON FUNCTION "private"."set_role_by_claim"(uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."settle_budget"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."settle_budgets"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."settle_item"(uuid, text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."settle_scope"(public.sprints, public.products, uuid[], boolean, boolean, boolean) IS NULL;

COMMENT ON FUNCTION "private"."settle_waiting"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."share_product"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."shipped_prices"() IS NULL;

COMMENT ON FUNCTION "private"."shorten_event"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."sort_order_from_code"(text) IS NULL;

COMMENT ON FUNCTION "private"."spread_of"(numeric[], integer) IS NULL;

COMMENT ON FUNCTION "private"."sprint_task_ids"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."steerable_jobs"(public.comments, public.agent_job_status[]) IS NULL;

COMMENT ON FUNCTION "private"."stop_for_budget"(public.agent_jobs, public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."stop_run_at"(public.sprint_runs, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."stories_of_tasks"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."stories_to_finish"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."story_branch"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."story_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."story_of_line"(public.agent_jobs, jsonb, integer) IS NULL;

COMMENT ON FUNCTION "private"."story_place"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."story_proof"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."stream_viewer"() IS NULL;

COMMENT ON FUNCTION "private"."sum_budget"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."sum_budgets"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."sum_usage"(uuid, text) IS NULL;

COMMENT ON FUNCTION "private"."take_back_expired"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."take_idempotency_key"(uuid, text, bytea) IS NULL;

COMMENT ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[], public.confinement, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."take_rate_limit"(text, text) IS NULL;

COMMENT ON FUNCTION "private"."task_history"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."task_ids_of"(jsonb) IS NULL;

COMMENT ON FUNCTION "private"."task_json"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."task_reasons"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."task_states"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."task_status_word"(public.task_status) IS NULL;

COMMENT ON FUNCTION "private"."tasks_in_order"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."tasks_of_job"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."tell_invited"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."tell_mentioned"(public.comments, uuid) IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__count_blockers"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__settle_merged"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_jobs__stamp"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_messages__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_messages__lose_job"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_questions__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_questions__notices"() IS NULL;

COMMENT ON FUNCTION "private"."tg_agent_workers__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__assign_code"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__keep_labels"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__keep_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__lock_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__lock_products"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__raise_version"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__remember_change"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__sort_order"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__take_rate_limit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__tell_inbox"() IS NULL;

COMMENT ON FUNCTION "private"."tg_any__touch"() IS NULL;

COMMENT ON FUNCTION "private"."tg_api_tokens__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_auth_users__copy_email"() IS NULL;

COMMENT ON FUNCTION "private"."tg_auth_users__create_profile"() IS NULL;

COMMENT ON FUNCTION "private"."tg_comment_mentions__tell_inbox"() IS NULL;

COMMENT ON FUNCTION "private"."tg_comments__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_event_flushes__send"() IS NULL;

COMMENT ON FUNCTION "private"."tg_evidence__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_files__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_idea_products__log"() IS NULL;

COMMENT ON FUNCTION "private"."tg_ideas__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_ideas__guard_insert"() IS NULL;

COMMENT ON FUNCTION "private"."tg_ideas__guard_status"() IS NULL;

COMMENT ON FUNCTION "private"."tg_ideas__log"() IS NULL;

COMMENT ON FUNCTION "private"."tg_landings__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_login_pairings__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pbis__append"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pbis__derive_status"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pbis__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pbis__note_merged"() IS NULL;

COMMENT ON FUNCTION "private"."tg_product_members__clear_active"() IS NULL;

COMMENT ON FUNCTION "private"."tg_product_members__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__add_owner"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__clear_active"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__guard_archived"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__guard_code"() IS NULL;

COMMENT ON FUNCTION "private"."tg_products__join_auto_pr"() IS NULL;

COMMENT ON FUNCTION "private"."tg_pulls__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_sprint_runs__carry_budget"() IS NULL;

COMMENT ON FUNCTION "private"."tg_sprint_runs__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_sprint_runs__notices"() IS NULL;

COMMENT ON FUNCTION "private"."tg_sprints__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__copy_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__derive_status"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__guard_sprint"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__lock_pbi"() IS NULL;

COMMENT ON FUNCTION "private"."tg_stories__remember_place"() IS NULL;

COMMENT ON FUNCTION "private"."tg_story_dependencies__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_story_dependencies__recount"() IS NULL;

COMMENT ON FUNCTION "private"."tg_story_logs__copy_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_story_logs__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_dependencies__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_dependencies__recount"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_executions__advance_task"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_executions__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_executions__recount"() IS NULL;

COMMENT ON FUNCTION "private"."tg_task_executions__stamp"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__copy_product"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__keep_batch_job"() IS NULL;

COMMENT ON FUNCTION "private"."tg_tasks__repo_url_by"() IS NULL;

COMMENT ON FUNCTION "private"."tg_user_questions__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_user_sessions__emit"() IS NULL;

COMMENT ON FUNCTION "private"."tg_waivers__emit"() IS NULL;

COMMENT ON FUNCTION "private"."touch_credential"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."touch_worker"(uuid, text, text, integer, public.confinement, jsonb) IS NULL;

COMMENT ON FUNCTION "private"."try_share_product"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."unlanded_work"(uuid[], uuid) IS NULL;

COMMENT ON FUNCTION "private"."unmerged_works"(text, uuid) IS NULL;

COMMENT ON FUNCTION "private"."unpark_job"(public.agent_questions) IS NULL;

COMMENT ON FUNCTION "private"."unreported_jobs"(public.budgets) IS NULL;

COMMENT ON FUNCTION "private"."usage_by"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "private"."usage_in_unit"(jsonb, text) IS NULL;

COMMENT ON FUNCTION "private"."usage_key_json"(text, text) IS NULL;

COMMENT ON FUNCTION "private"."usage_under"(public.budgets, timestamp with time zone, bigint) IS NULL;

COMMENT ON FUNCTION "private"."user_question_json"(public.user_questions) IS NULL;

COMMENT ON FUNCTION "private"."username"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."verifiers_report"(private.job_report) IS NULL;

COMMENT ON FUNCTION "private"."verify_rounds"(uuid) IS NULL;

COMMENT ON FUNCTION "private"."verify_work"(public.agent_jobs, public.task_executions, text, jsonb, jsonb, text, text) IS NULL;

COMMENT ON FUNCTION "private"."void_proof"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."waiting_for"(uuid[], uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."waits_for_ci"(public.tasks_in_review) IS NULL;

COMMENT ON FUNCTION "private"."waiver_json"(public.waivers) IS NULL;

COMMENT ON FUNCTION "private"."warn_of_budget"(public.budgets, numeric) IS NULL;

COMMENT ON FUNCTION "private"."was_started_over"(uuid, timestamp with time zone) IS NULL;

COMMENT ON FUNCTION "private"."webhook_json"(public.webhooks) IS NULL;

COMMENT ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) IS NULL;

COMMENT ON FUNCTION "private"."with_comments"(json, uuid) IS NULL;

COMMENT ON FUNCTION "private"."with_deliveries"(json, uuid) IS NULL;

COMMENT ON FUNCTION "private"."with_key"(json, text, json) IS NULL;

COMMENT ON FUNCTION "private"."with_labels"(json, uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."words_in_scopes"(text[], text[]) IS NULL;

COMMENT ON FUNCTION "private"."worker_json"(public.agent_workers) IS NULL;

COMMENT ON FUNCTION "private"."worker_reasons"(public.agent_jobs) IS NULL;

COMMENT ON FUNCTION "private"."workers_online"(uuid[]) IS NULL;

COMMENT ON FUNCTION "private"."writable_product_ids"() IS NULL;

COMMENT ON FUNCTION "private"."write_down_expired"(boolean, uuid[]) IS NULL;

COMMENT ON FUNCTION "public"."authenticate"(jsonb) IS NULL;

COMMENT ON FUNCTION "public"."call_as"(jsonb, text, jsonb, text) IS NULL;

COMMENT ON FUNCTION "public"."call_service"(text, jsonb) IS NULL;

COMMENT ON TYPE "private"."budget_room" IS NULL;

COMMENT ON TYPE "private"."job_report" IS NULL;

COMMENT ON TYPE "private"."principal" IS NULL;

COMMENT ON TYPE "private"."proven_criterion" IS NULL;

COMMENT ON TYPE "public"."agent_items" IS NULL;

COMMENT ON TYPE "public"."agent_job_kind" IS NULL;

COMMENT ON TYPE "public"."agent_job_status" IS NULL;

COMMENT ON TYPE "public"."agent_question_status" IS NULL;

COMMENT ON TYPE "public"."confinement" IS NULL;

COMMENT ON TYPE "public"."dependency_release" IS NULL;

COMMENT ON TYPE "public"."done_requires" IS NULL;

COMMENT ON TYPE "public"."evidence_grade" IS NULL;

COMMENT ON TYPE "public"."evidence_kind" IS NULL;

COMMENT ON TYPE "public"."evidence_verdict" IS NULL;

COMMENT ON TYPE "public"."failure_class" IS NULL;

COMMENT ON TYPE "public"."idea_status" IS NULL;

COMMENT ON TYPE "public"."job_phase" IS NULL;

COMMENT ON TYPE "public"."landing" IS NULL;

COMMENT ON TYPE "public"."member_role" IS NULL;

COMMENT ON TYPE "public"."message_state" IS NULL;

COMMENT ON TYPE "public"."notice_status" IS NULL;

COMMENT ON TYPE "public"."pairing_status" IS NULL;

COMMENT ON TYPE "public"."pbi_status" IS NULL;

COMMENT ON TYPE "public"."plan_first" IS NULL;

COMMENT ON TYPE "public"."pr_strategy" IS NULL;

COMMENT ON TYPE "public"."pull_requests" IS NULL;

COMMENT ON TYPE "public"."question_expiry" IS NULL;

COMMENT ON TYPE "public"."question_kind" IS NULL;

COMMENT ON TYPE "public"."sprint_run_status" IS NULL;

COMMENT ON TYPE "public"."sprint_status" IS NULL;

COMMENT ON TYPE "public"."story_log_status" IS NULL;

COMMENT ON TYPE "public"."story_log_type" IS NULL;

COMMENT ON TYPE "public"."story_status" IS NULL;

COMMENT ON TYPE "public"."task_execution_status" IS NULL;

COMMENT ON TYPE "public"."task_status" IS NULL;

COMMENT ON TYPE "public"."user_question_status" IS NULL;

COMMENT ON TYPE "public"."user_role" IS NULL;

COMMENT ON TYPE "public"."user_theme" IS NULL;

COMMENT ON TYPE "public"."verify_required" IS NULL;

COMMENT ON TYPE "public"."verify_result" IS NULL;

COMMENT ON VIEW "private"."idea_shape" IS NULL;

COMMENT ON VIEW "private"."known_usage" IS NULL;

COMMENT ON VIEW "private"."pbi_shape" IS NULL;

COMMENT ON VIEW "private"."product_shape" IS NULL;

COMMENT ON VIEW "private"."sprint_shape" IS NULL;

COMMENT ON VIEW "private"."story_log_shape" IS NULL;

COMMENT ON VIEW "private"."story_shape" IS NULL;

COMMENT ON VIEW "private"."task_blockers" IS NULL;

COMMENT ON VIEW "private"."task_detail_shape" IS NULL;

COMMENT ON VIEW "private"."task_shape" IS NULL;

DROP TRIGGER "_500_advance_task" ON "public"."agent_jobs";

DROP TRIGGER "_520_note_attempt" ON "public"."agent_jobs";

DROP TRIGGER "_530_keep_usage" ON "public"."agent_jobs";

DROP TRIGGER "_590_settle_waiting" ON "public"."agent_jobs";

DROP TRIGGER "_592_settle_merged_deleted" ON "public"."agent_jobs";

DROP TRIGGER "_592_settle_merged" ON "public"."agent_jobs";

DROP TRIGGER "_600_advance_lane_deleted" ON "public"."agent_jobs";

DROP TRIGGER "_600_advance_lane" ON "public"."agent_jobs";

DROP TRIGGER "_605_pass_turn" ON "public"."agent_jobs";

DROP TRIGGER "_640_settle_messages" ON "public"."agent_jobs";

DROP TRIGGER "_890_tell_inbox" ON "public"."agent_jobs";

DROP TRIGGER "_390_raise_version" ON "public"."ideas";

DROP TRIGGER "_390_raise_version" ON "public"."pbis";

DROP TRIGGER "_390_raise_version" ON "public"."products";

DROP TRIGGER "_390_raise_version" ON "public"."sprints";

DROP TRIGGER "_390_raise_version" ON "public"."stories";

DROP TRIGGER "_510_derive_pbi_delete" ON "public"."stories";

DROP TRIGGER "_510_derive_pbi_insert" ON "public"."stories";

DROP TRIGGER "_510_derive_pbi_update" ON "public"."stories";

DROP TRIGGER "_550_record_sprint" ON "public"."stories";

DROP TRIGGER "_560_settle_waiting" ON "public"."stories";

DROP TRIGGER "_890_tell_inbox" ON "public"."stories";

DROP TRIGGER "_891_tell_inbox" ON "public"."stories";

DROP TRIGGER "_892_tell_inbox" ON "public"."stories";

DROP TRIGGER "_390_raise_version" ON "public"."tasks";

DROP TRIGGER "_500_derive_story_delete" ON "public"."tasks";

DROP TRIGGER "_500_derive_story_insert" ON "public"."tasks";

DROP TRIGGER "_550_record_move" ON "public"."tasks";

DROP TRIGGER "_550_record_status_insert" ON "public"."tasks";

DROP TRIGGER "_550_record_status_update" ON "public"."tasks";

DROP TRIGGER "_555_note_review_insert" ON "public"."tasks";

DROP TRIGGER "_555_note_review_update" ON "public"."tasks";

DROP TRIGGER "_560_settle_waiting_deleted" ON "public"."tasks";

DROP TRIGGER "_560_settle_waiting_inserted" ON "public"."tasks";

DROP TRIGGER "_560_settle_waiting" ON "public"."tasks";

DROP TRIGGER "_610_cascade_failure" ON "public"."tasks";

DROP TRIGGER "_620_finish_elsewhere" ON "public"."tasks";

DROP TRIGGER "_700_notices" ON "public"."tasks";

DROP TRIGGER "_890_tell_inbox" ON "public"."tasks";

DROP TRIGGER "_990_derive_story_update" ON "public"."tasks";

DROP INDEX "public"."ideas_search_idx";

DROP INDEX "public"."pbis_search_idx";

DROP INDEX "public"."stories_search_idx";

DROP INDEX "public"."tasks_search_idx";

DROP VIEW "private"."claimable_jobs";

DROP VIEW "private"."product_detail_shape";

ALTER TABLE "public"."api_tokens" DROP CONSTRAINT "api_tokens_audience_known";

ALTER TABLE "public"."evidence" DROP CONSTRAINT "evidence_job_id_fkey";

ALTER TABLE "public"."oauth_codes" DROP CONSTRAINT "oauth_codes_audience_known";

ALTER TABLE "public"."story_heads" DROP CONSTRAINT "story_heads_job_id_fkey";

DROP FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text);

DROP FUNCTION "operations"."list_own_invitations"();

DROP FUNCTION "operations"."read_file"(uuid, boolean);

DROP FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text);

DROP FUNCTION "operations"."resume_sprint"(uuid, boolean);

DROP FUNCTION "private"."branch_head"(public.agent_jobs);

DROP FUNCTION "private"."jobs_of_story"(uuid);

DROP FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[], boolean, jsonb);

DROP FUNCTION "private"."require_allowed_workers"(uuid);

DROP FUNCTION "private"."tg_agent_jobs__advance_lane"();

DROP FUNCTION "private"."tg_agent_jobs__advance_task"();

DROP FUNCTION "private"."tg_agent_jobs__keep_usage"();

DROP FUNCTION "private"."tg_agent_jobs__note_attempt"();

DROP FUNCTION "private"."tg_agent_jobs__pass_turn"();

DROP FUNCTION "private"."tg_agent_jobs__settle_messages"();

DROP FUNCTION "private"."tg_agent_jobs__settle_waiting"();

DROP FUNCTION "private"."tg_stories__derive_pbi"();

DROP FUNCTION "private"."tg_stories__record_sprint"();

DROP FUNCTION "private"."tg_stories__settle_waiting"();

DROP FUNCTION "private"."tg_stories__tell_inbox"();

DROP FUNCTION "private"."tg_tasks__cascade_failure"();

DROP FUNCTION "private"."tg_tasks__derive_story"();

DROP FUNCTION "private"."tg_tasks__finish_elsewhere"();

DROP FUNCTION "private"."tg_tasks__note_review"();

DROP FUNCTION "private"."tg_tasks__notices"();

DROP FUNCTION "private"."tg_tasks__record_status_change"();

DROP FUNCTION "private"."tg_tasks__settle_waiting"();

DROP FUNCTION "private"."tg_tasks__settle_waiting_inserted"();

DROP FUNCTION "private"."unmerged_work"(uuid);

CREATE TABLE "public"."past_jobs" ("id" uuid NOT NULL, "product_id" uuid NOT NULL, "task_id" uuid NOT NULL, "kind" public.agent_job_kind NOT NULL, "status" public.agent_job_status NOT NULL, "sprint_run_id" uuid, "branch" text, "base_sha" text, "head_sha" text, "commits" integer, "pushed_at" timestamp with time zone, "merged_at" timestamp with time zone, "finished_at" timestamp with time zone NOT NULL, "created_at" timestamp with time zone NOT NULL, CONSTRAINT "past_jobs_base_sha_length" CHECK ((char_length(base_sha) <= 64)), CONSTRAINT "past_jobs_branch_length" CHECK ((char_length(branch) <= 200)), CONSTRAINT "past_jobs_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "past_jobs_pkey" PRIMARY KEY (id));

ALTER TABLE "public"."past_jobs" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."touched_paths" ("product_id" uuid NOT NULL, "path" text NOT NULL, "job_id" uuid NOT NULL, "attempt" integer NOT NULL, CONSTRAINT "touched_paths_path_length" CHECK ((char_length(path) <= 4096)), CONSTRAINT "touched_paths_pkey" PRIMARY KEY (product_id, path));

ALTER TABLE "public"."touched_paths" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "first_seen_at" timestamp with time zone;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "judged_at" timestamp with time zone;

ALTER TABLE "public"."job_diffs" ADD COLUMN "marks" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."products" ADD COLUMN "branch_prefix" text NOT NULL DEFAULT 'backloom'::text;

ALTER TABLE "public"."products" ADD COLUMN "review_marks" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."spent_refresh_tokens" ADD COLUMN "next_tokens" text;



set local check_function_bodies = off;



set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.add_file(p_product_id uuid, p_name text, p_type text, p_content text, p_story_id uuid DEFAULT NULL::uuid, p_task_id uuid DEFAULT NULL::uuid, p_comment_id uuid DEFAULT NULL::uuid, p_job_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_content bytea;
  v_file public.files;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('file', auth.uid()::text);
  perform private.share_product(p_product_id);
  perform private.require_product_write(p_product_id, num_nonnulls(p_story_id, p_task_id, p_job_id) = 0);
  perform private.require_file_place(p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id);
  v_content := decode(p_content, 'base64');
  perform private.require_file_room(p_product_id, octet_length(v_content));
  insert into public.files (product_id, story_id, task_id, comment_id, job_id, name, type, size)
  values (p_product_id, p_story_id, p_task_id, p_comment_id, p_job_id, p_name, p_type, octet_length(v_content))
  returning * into v_file;
  insert into public.file_contents (file_id, content) values (v_file.id, v_content);
  return private.file_json(v_file.id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
  v_attempt public.job_attempts;
  v_now timestamptz := private.now();
  v_bytes bigint;
  v_state text;
begin
  perform private.require_writer();
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  v_state := private.attempt_state(v_job, p_attempt);
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_output', p_job_id::text);
  if pg_column_size(p_entries) > 262144 then
    perform private.refuse(422, 'A batch holds at most 64 KiB of text. Send it in parts.');
  end if;

  if v_state = 'held' and v_job.lease_until < v_now + private.lease() - interval '1 minute' then
    update public.agent_jobs j set lease_until = v_now + private.lease()
    where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  end if;
  v_attempt := private.lock_attempt(v_job, p_attempt);
  -- Read under the lock: whoever had to wait for it is later than the one before.
  v_now := private.now();
  if v_attempt.ended_at < v_now - interval '10 minutes' then
    perform private.refuse(409, format('Attempt %s ended more than ten minutes ago and accepts no more output. Ask for the next job.', p_attempt));
  end if;

  with added as (
    insert into public.job_outputs (job_id, attempt, seq, at, kind, text, title, path, status)
    select p_job_id, p_attempt, e.seq, e.at, e.kind, e.text, e.title, e.path, e.status
    from jsonb_to_recordset(p_entries)
      as e (seq bigint, at timestamptz, kind text, text text, title text, path text, status text)
    on conflict (job_id, attempt, seq) do nothing
    returning private.output_bytes(job_outputs) as bytes, job_outputs.seq
  )
  select coalesce(sum(d.bytes), 0), greatest(max(d.seq), v_attempt.last_seq) into v_bytes, v_attempt.last_seq from added d;

  update public.job_attempts a
  set last_seq = v_attempt.last_seq,
      output_bytes = a.output_bytes + v_bytes,
      told_at = case when private.is_output_news(v_attempt.told_at, v_now) then v_now else a.told_at end
  where a.job_id = p_job_id and a.attempt = p_attempt
  returning a.* into v_attempt;

  if v_attempt.output_bytes > 5242880 then
    perform private.drop_output_middle(v_attempt);
  end if;
  if v_attempt.told_at = v_now then
    perform private.emit_job_output(v_job, v_attempt);
  end if;
  return json_build_object('last_seq', v_attempt.last_seq);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.cancel_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if v_job.status = 'CANCELLED' then
    return private.job_json(v_job);
  end if;
  if v_job.status in ('CLAIMED', 'RUNNING') and v_job.kind <> 'PLAN_CHAT' then
    perform private.refuse(409, 'This job is held by a worker. Cancel its run to stop it; pausing lets it finish.');
  end if;
  if v_job.status = 'QUEUED' and v_job.phase = 'review' then
    perform private.refuse(409, 'The work of this job is done and waits for a review. Approve it, or request changes.');
  end if;
  if v_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.refuse(409, format('Only a queued job can be cancelled; this one is %s.', lower(v_job.status::text)));
  end if;

  perform private.close_question(v_job.parked_question_id);
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'The job was cancelled.'
  where j.id = p_job_id;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.claim_agent_job(p_worker text, p_product_id uuid DEFAULT NULL::uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_kinds jsonb DEFAULT NULL::jsonb, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_confinement text DEFAULT NULL::text, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
  v_rooms private.budget_room[];
  v_full_budgets uuid[];
  v_confinement public.confinement := coalesce(p_confinement, 'none');
  v_also_repos jsonb := coalesce(p_also_repos, '[]');
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_confinement, v_also_repos);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried,
      v_confinement <> 'none', v_also_repos);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_rooms := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := case when v_rooms is not null then private.full_budgets(v_rooms) end;
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets,
      v_confinement, v_also_repos);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_confinement, v_also_repos);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', 
      private.nothing_to_claim(v_user_id, p_product_id, v_worker.id, v_full_budgets, v_confinement <> 'none', v_also_repos));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.cleanup_agent_artifacts()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_portion constant integer := 1000;
  v_found integer;
  v_ids uuid[];
  v_product_id uuid;
  v_deleted integer;
begin
  v_ids := array(
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.product_id, d.id
    limit v_portion);
  v_found := cardinality(v_ids);
  for v_product_id in
    select distinct j.product_id from public.agent_jobs j where j.id = any (v_ids) order by 1
  loop
    perform private.lock_product(v_product_id);
  end loop;
  v_ids := array(select j.id from public.agent_jobs j where j.id = any (v_ids) and j.status in ('FAILED', 'CANCELLED'));
  perform private.keep_past(v_ids);
  delete from public.agent_jobs j where j.id = any (v_ids);
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'more', v_found = v_portion, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.count_file_bytes()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select to_json(coalesce(sum(f.size), 0)) from public.files f);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_label(p_product_id uuid, p_name text, p_color text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_name text;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('label', auth.uid()::text);
  v_name := private.require_label_name(p_product_id, p_name, null);
  insert into public.labels (id, product_id, name, color)
  values (v_id, p_product_id, v_name, coalesce(lower(p_color), private.next_label_color(p_product_id)));
  return (select json_build_object('id', l.id, 'name', l.name, 'color', l.color) from public.labels l where l.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text, p_pull_requests text DEFAULT 'none'::text, p_agent_items text DEFAULT 'backlog'::text, p_landing text DEFAULT 'manual'::text, p_branch_prefix text DEFAULT 'backloom'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  perform private.require_unlimited_token();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first, pull_requests, agent_items, landing, branch_prefix)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items, coalesce(p_landing, 'manual')::public.landing,
    coalesce(p_branch_prefix, 'backloom'));
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.edit_task(p_task_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
  v_label_ids uuid[];
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_changes -> 'labels');
  perform private.require_version('task', p_task_id, p_changes);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, (p_changes ->> 'confirmed')::boolean);

  perform private.set_fields('public.tasks', p_task_id,
    p_changes - 'story_id' || jsonb_build_object('status', v_status, 'label_ids', v_label_ids));
  return private.task_json(p_task_id)::jsonb || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION operations.export_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'format', 'backloom-export', 'version', 1, 'exported_at', private.export_time(private.now()),
      'product', private.exported(to_jsonb(p), '{owner_id,landing_since}'),
      'members', (
        select coalesce(json_agg(json_build_object('username', u.username, 'role', m.role) order by u.username), '[]')
        from public.product_members m
        join public.users u on u.id = m.user_id
        where m.product_id = p.id),
      'sprints', (
        select coalesce(json_agg(private.exported(to_jsonb(s), '{}') order by private.sort_order_from_code(s.code)), '[]')
        from public.sprints s
        where s.product_id = p.id),
      'pbis', (
        select coalesce(json_agg(private.exported(to_jsonb(b), '{idea_id,is_intake}') || jsonb_build_object(
          'sort_order', b.sort_order, 'stories', private.export_stories(b.id), 'comments', private.export_comments(b.id)
        ) order by b.priority, b.sort_order, b.created_at, b.code), '[]')
        from public.pbis b
        where b.product_id = p.id),
      'labels', (
        select coalesce(json_agg(json_build_object('name', l.name, 'color', l.color) order by lower(l.name)), '[]')
        from public.labels l
        where l.product_id = p.id),
      'ideas', private.export_ideas(p.id),
      'views', (
        select coalesce(json_agg(json_build_object('page', v.page, 'name', v.name, 'look', v.look) order by v.page, lower(v.name)), '[]')
        from public.saved_views v
        where v.product_id = p.id and v.user_id is null),
      'files', private.export_files(p.id),
      'counters', (
        select coalesce(json_object_agg(c.kind, c.last_number order by c.kind), '{}')
        from public.code_counters c
        where c.scope_id = p.id)
    )
    from public.products p
    where p.id = p_product_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_backlog(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pbis json;
  v_stories json;
  v_tasks json;
begin
  perform private.require_product_access(p_product_id);

  select coalesce(json_agg(x), '[]')
  into v_pbis
  from (
    select
      b.id, b.product_id, b.code, b.title, b.description, b.priority, b.sort_order, lower(b.status::text) as status, b.pr_url,
      to_char(b.pr_merged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as pr_merged_at,
      to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, b.version
    from public.pbis b
    where b.product_id = p_product_id
    order by b.priority, b.sort_order, b.created_at, b.id
  ) x;

  select coalesce(json_object_agg(b.id, coalesce(g.list, '[]')), '{}')
  into v_stories
  from public.pbis b
  left join (
    select x.pbi_id, json_agg(case when x.label_ids = '{}' then x.line else private.with_labels(x.line, x.label_ids) end) as list
    from (
      select s.pbi_id, s.label_ids, row_to_json(y) as line
      from public.stories s
      cross join lateral (select
        s.id, s.product_id, s.pbi_id, s.code, s.title, s.description, s.acceptance_criteria, s.priority,
        lower(s.status::text) as status, s.sort_order, s.sprint_id, s.assignee_id,
        to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, s.version) y
      where s.product_id = p_product_id and not s.in_triage
      order by s.pbi_id, s.sort_order, s.created_at, s.id
    ) x
    group by x.pbi_id
  ) g on g.pbi_id = b.id
  where b.product_id = p_product_id;

  select coalesce(json_object_agg(s.id, coalesce(g.list, '[]')), '{}')
  into v_tasks
  from public.stories s
  left join (
    select x.story_id, json_agg(case when x.label_ids = '{}' then x.line else private.with_labels(x.line, x.label_ids) end) as list
    from (
      select t.story_id, t.label_ids, row_to_json(y) as line
      from public.tasks t
      cross join lateral (select
        t.id, t.story_id, t.product_id, t.code, t.title, t.description, t.priority, t.sort_order,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.repo_url, t.verify_only, t.verify_required,
        to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, t.version) y
      where t.product_id = p_product_id
      order by t.story_id, t.sort_order, t.created_at, t.id
    ) x
    group by x.story_id
  ) g on g.story_id = s.id
  where s.product_id = p_product_id and not s.in_triage;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = p_product_id),
    'pbis', v_pbis, 'storiesByPbi', v_stories, 'tasksByStory', v_tasks
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_dashboard()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(
    select p.id from public.products p
    where p.archived_at is null and p.id in (select private.accessible_product_ids()));
  v_today timestamptz := date_trunc('day', private.now() at time zone 'UTC') at time zone 'UTC';
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(x) order by lower(x.name), x.id), '[]')
      from (
        select p.id, p.code, p.name, p.description, p.owner_id = auth.uid() as is_owner,
          (select count(*) from public.stories s where s.product_id = p.id and s.status = 'OPEN') as open_stories,
          (
            select row_to_json(a)
            from (
              select s.id, s.code, s.sprint_goal, s.end_date,
                (
                  select coalesce(json_agg(t.status order by st.sort_order, st.created_at, st.id, t.sort_order, t.created_at, t.id), '[]')
                  from public.tasks t join public.stories st on st.id = t.story_id
                  where st.sprint_id = s.id) as task_statuses
              from public.sprints s where s.product_id = p.id and s.status = 'ACTIVE'
            ) a
          ) as active_sprint,
          (
            select row_to_json(r)
            from (
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at, private.run_waits(r) as waits_for, private.job_states(r.id) as job_statuses
              from public.sprint_runs r
              where r.product_id = p.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
              order by r.created_at desc
              limit 1
            ) r
          ) as run
        from public.products p
        where p.id = any (v_products)
      ) x),
    'added_to', (
      select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name,
        'owner_username', private.username(p.owner_id)) order by m.created_at, p.id), '[]')
      from public.product_members m
      join public.products p on p.id = m.product_id
      where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and p.id = any (v_products)),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at), '[]')
      from (
        select q.* from public.agent_questions q
        where q.status = 'OPEN' and q.expires_at > private.now() and q.product_id in (select private.writable_product_ids())
          and (q.reader_id is null or q.reader_id = auth.uid())
        order by q.created_at
        limit 5
      ) q),
    'reviews', (
      select coalesce(json_agg(row_to_json(t) order by t.changed_at desc), '[]')
      from (
        select t.id, t.code, t.title, p.name as product_name, t.updated_at as changed_at
        from public.tasks_in_review w
        join public.tasks t on t.id = w.task_id
        join public.products p on p.id = w.product_id
        where w.product_id in (select private.writable_product_ids())
        order by t.updated_at desc
        limit 5
      ) t),
    'costs_today', (
      select coalesce(json_agg(json_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = any (v_products) and e.created_at >= v_today and e.cost is not null and not e.subscription
        group by e.currency
      ) s),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'
        -- Null is what an import brought as done already.
        and c.from_status <> 'DONE'),
    'workers_online', private.workers_online(v_products)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_pairing_state(p_pairing_id uuid, p_desktop_token_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for share;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such pairing. Show a new code.';
  end if;
  if v_pairing.desktop_token_hash <> decode(p_desktop_token_hash, 'hex') then
    raise exception using errcode = 'PT401', message = 'This pairing was started by another browser. Show a new code.';
  end if;
  if v_pairing.expires_at <= private.now() then
    raise exception using errcode = 'PT410', message = 'This code has expired. Show a new code.';
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'expires_at', v_pairing.expires_at, 'snapshot', pg_current_snapshot()::text);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_sprint_board(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_preflight json;
  v_forecast json;
begin
  if exists (select from public.sprints s where s.id = p_sprint_id and s.status = 'ACTIVE')
    and not exists (
      select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
  then
    v_preflight := operations.preflight_sprint_run(p_sprint_id);
    if (v_preflight ->> 'ready')::boolean then
      v_forecast := operations.get_forecast(v_product, p_sprint_id);
    end if;
  end if;
  return json_build_object(
    'labels', private.labels_of(v_product),
    'views', private.saved_views_of(v_product, 'board'),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
            and (q.reader_id is null or q.reader_id = auth.uid())
          ) as open_questions
        from public.stories s where s.sprint_id = p_sprint_id
      ) x),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure, private.run_waits(r) as waits_for, private.job_states(r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product and m.role <> 'VIEWER'),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null
          -- As text: as a status it would allow the index of all stories that are not done, which is then read from end to
          -- end instead of the one product's part of the index by sprint.
          and s.status::text in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_backlog(p_pbis jsonb, p_product_id uuid DEFAULT NULL::uuid, p_name text DEFAULT NULL::text, p_code text DEFAULT NULL::text, p_preview boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := p_product_id;
  v_report jsonb;
begin
  if p_product_id is null then
    perform private.require_no_demo();
  else
    perform private.require_write('product', p_product_id);
  end if;
  begin
    if v_product_id is null then
      v_product_id := (operations.create_product(p_code, p_name, p_done_requires => 'person', p_agent_items => 'triage') ->> 'id')::uuid;
      perform private.lock_product(v_product_id);
    end if;
    v_report := private.import_rows(v_product_id, p_pbis) || jsonb_build_object('product', (
      select jsonb_build_object('id', case when p_product_id is not null or not coalesce(p_preview, false) then p.id end,
        'code', p.code, 'name', p.name)
      from public.products p where p.id = v_product_id));
    if p_preview then
      raise exception using errcode = 'IMPRV';
    end if;
  exception when sqlstate 'IMPRV' then
    -- The rows are gone again; what was counted stays.
  end;
  return v_report;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_file(p_product_id uuid, p_file jsonb, p_content text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_content bytea := decode(p_content, 'base64');
begin
  perform private.require_file_room(p_product_id, octet_length(v_content));
  insert into public.files (id, product_id, name, type, size, created_by, created_at)
  values ((p_file ->> 'id')::uuid, p_product_id, p_file ->> 'name', p_file ->> 'type', octet_length(v_content), null,
    coalesce((p_file ->> 'created_at')::timestamptz, private.now()));
  insert into public.file_contents (file_id, content) values ((p_file ->> 'id')::uuid, v_content);
  return json_build_object('id', p_file ->> 'id');
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_ideas(p_product_id uuid, p_owner_id uuid, p_ideas jsonb, p_archived_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_ideas jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.idea || jsonb_build_object(
    'id', gen_random_uuid(),
    'user_id', coalesce(u.id, p_owner_id),
    'code', case
      when exists (
        select from public.ideas i where i.user_id = coalesce(u.id, p_owner_id) and i.code = e.idea ->> 'code'
      ) then null
      else e.idea ->> 'code' end,
    'pbi_id', (select b.id from public.pbis b where b.product_id = p_product_id and b.code = e.idea ->> 'pbi')
  ) order by e.place)
  into v_ideas
  from jsonb_array_elements(p_ideas) with ordinality e (idea, place)
  left join public.users u on lower(u.username) = lower(e.idea ->> 'username');

  perform private.insert_rows('public.ideas', (
    select jsonb_agg(e.idea || jsonb_build_object('product_id', p_product_id, 'created_at', coalesce(e.idea ->> 'created_at', private.now()::text))
      order by (e.idea ->> 'code') is null, e.place)
    from jsonb_array_elements(v_ideas) with ordinality e (idea, place)));

  update public.pbis b
  set idea_id = i.id
  from public.ideas i
  where i.product_id = p_product_id and i.pbi_id = b.id;

  insert into public.idea_products (idea_id, product_id)
  select (e.idea ->> 'id')::uuid, p.id
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements_text(e.idea -> 'linked_products') l (code)
  join public.products p on p.owner_id = p_owner_id and p.code = l.code and p.id <> p_product_id;

  -- What the triggers wrote about the import itself gives way to the log of the file.
  delete from public.idea_logs l
  using jsonb_array_elements(v_ideas) e (idea)
  where l.idea_id = (e.idea ->> 'id')::uuid and jsonb_array_length(e.idea -> 'log') > 0;

  insert into public.idea_logs (idea_id, user_id, kind, content, created_at)
  select (e.idea ->> 'id')::uuid, u.id, l ->> 'kind', l ->> 'content',
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_ideas) e (idea)
  cross join lateral jsonb_array_elements(e.idea -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  update public.products p set archived_at = p_archived_at where p.id = p_product_id and p_archived_at is not null;

  return json_build_object('idea_codes', (
    select coalesce(json_agg(i.code order by e.place), '[]')
    from jsonb_array_elements(v_ideas) with ordinality e (idea, place)
    join public.ideas i on i.id = (e.idea ->> 'id')::uuid));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_product(p_owner_id uuid, p_document jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product jsonb := p_document -> 'product';
  v_product_id uuid := gen_random_uuid();
  v_pbis jsonb;
begin
  -- Archiving is the last step: an archived product is read-only.
  perform private.insert_rows('public.products', jsonb_build_array(v_product - 'archived_at' || jsonb_build_object(
    'id', v_product_id, 'owner_id', p_owner_id, 'created_at', coalesce(v_product ->> 'created_at', private.now()::text))));

  perform private.lock_product(v_product_id);

  insert into public.product_members (product_id, user_id, role)
  select distinct v_product_id, u.id, (case m ->> 'role' when 'VIEWER' then 'VIEWER' else 'MEMBER' end)::public.member_role
  from jsonb_array_elements(p_document -> 'members') m
  join public.users u on lower(u.username) = lower(m ->> 'username')
  where u.id <> p_owner_id;

  insert into public.code_counters (scope_id, kind, last_number)
  select v_product_id, c.key, c.value::bigint
  from jsonb_each_text(p_document -> 'counters') c
  where c.key in ('pbi', 'story', 'task', 'sprint');

  insert into public.labels (product_id, name, color)
  select v_product_id, l ->> 'name', lower(l ->> 'color')
  from jsonb_array_elements(p_document -> 'labels') l
  on conflict do nothing;

  insert into public.saved_views (product_id, created_by, page, name, look)
  select v_product_id, p_owner_id, v ->> 'page', v ->> 'name', v -> 'look'
  from jsonb_array_elements(p_document -> 'views') v
  on conflict do nothing;

  perform private.insert_rows('public.sprints', (
    select jsonb_agg(s || jsonb_build_object('product_id', v_product_id, 'created_at', coalesce(s ->> 'created_at', private.now()::text)))
    from jsonb_array_elements(p_document -> 'sprints') s));

  select jsonb_agg(e.pbi || jsonb_build_object('id', gen_random_uuid(), 'product_id', v_product_id, 'sort_order', e.pbi -> 'sort_order',
    'created_at', coalesce(e.pbi ->> 'created_at', private.now()::text)) order by e.place)
  into v_pbis
  from jsonb_array_elements(p_document -> 'pbis') with ordinality e (pbi, place);

  perform private.insert_rows('public.pbis', v_pbis);

  perform private.import_comments(v_product_id, 'pbi', v_pbis);

  return json_build_object(
    'id', v_product_id,
    'code', v_product ->> 'code',
    'pbi_codes', (
      select coalesce(json_agg(b.code order by e.place), '[]')
      from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
      join public.pbis b on b.id = (e.pbi ->> 'id')::uuid),
    'unknown_users', (
      select coalesce(json_agg(distinct m ->> 'username'), '[]')
      from jsonb_array_elements(p_document -> 'members') m
      where not exists (select from public.users u where lower(u.username) = lower(m ->> 'username'))));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  perform private.insert_rows('public.stories', (
    select jsonb_agg(e.story - 'status' || jsonb_build_object('product_id', p_product_id, 'pbi_id', b.id, 'sprint_id', s.id,
      'assignee_id', m.user_id, 'label_ids', private.label_ids_named(p_product_id, e.story -> 'labels'),
      'in_triage', e.story ->> 'status' is not distinct from 'TRIAGE',
      'created_at', coalesce(e.story ->> 'created_at', private.now()::text)) order by e.place)
    from jsonb_array_elements(v_stories) with ordinality e (story, place)
    join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
    left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
    left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
    left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id and m.role <> 'VIEWER'));

  select jsonb_agg(t.task || jsonb_build_object('id', gen_random_uuid(), 'product_id', p_product_id, 'story_id', e.story -> 'id',
    'label_ids', private.label_ids_named(p_product_id, t.task -> 'labels'),
    'created_at', coalesce(t.task ->> 'created_at', private.now()::text)) order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  perform private.insert_rows('public.tasks', v_tasks);

  insert into public.story_logs
    (story_id, product_id, type, content, status, commit_hash, commit_message, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, (l ->> 'type')::public.story_log_type, l ->> 'content',
    (l ->> 'status')::public.story_log_status, l ->> 'commit_hash', l ->> 'commit_message',
    nullif(l -> 'metadata', 'null'), coalesce(u.id, p_owner_id),
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  perform private.import_proof(p_product_id, v_stories);
  perform private.import_reviews(p_product_id, v_tasks);
  perform private.import_comments(p_product_id, 'story', v_stories);
  perform private.import_comments(p_product_id, 'task', v_tasks);

  return json_build_object(
    'story_codes', (
      select coalesce(json_agg(s.code order by e.place), '[]')
      from jsonb_array_elements(v_stories) with ordinality e (story, place)
      join public.stories s on s.id = (e.story ->> 'id')::uuid),
    'task_codes', (
      select coalesce(json_agg(t.code order by e.place), '[]')
      from jsonb_array_elements(v_tasks) with ordinality e (task, place)
      join public.tasks t on t.id = (e.task ->> 'id')::uuid));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_pull_texts(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
begin
  perform private.require_product_access(p_product_id);
  select p.* into v_product from public.products p where p.id = p_product_id;
  return json_build_object('draft', v_product.pull_requests = 'draft', 'branches', (
    with jobs as (
      select j.* from public.agent_jobs j
      where j.product_id = p_product_id and v_product.pull_requests <> 'none' and v_product.archived_at is null
        and (j.updated_at > private.now() - interval '7 days' or exists (
          select from public.pulls p where p.product_id = j.product_id and p.branch = j.branch and p.state = 'open'))
        and private.wants_pull(j) and not exists (
          select from public.tasks t where t.id = j.task_id and t.repo_url <> v_product.repo_url)
    ), stories as (
      select distinct j.branch, t.story_id from jobs j join public.tasks t on t.id = any (private.tasks_of_job(j))
    ), texts as (
      select b.branch, md5(string_agg(private.pull_digest(b.story_id), '' order by b.story_id)) as digest,
        jsonb_agg(jsonb_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description) order by s.code) as stories
      from stories b join public.stories s on s.id = b.story_id
      group by b.branch
    ), newest as (
      select distinct on (j.branch) j.branch, j.updated_at, private.pull_title(j) as title from jobs j order by j.branch, j.updated_at desc, j.id
    )
    select coalesce(json_agg(json_build_object('branch', n.branch, 'title', n.title, 'digest', x.digest, 'stories', x.stories,
      'url', (select min(p.url) from public.pulls p where p.product_id = p_product_id and p.branch = n.branch and p.state = 'open')) order by n.updated_at desc), '[]')
    from (select * from newest order by updated_at desc limit 100) n join texts x on x.branch = n.branch));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_pulls(p_product_id uuid, p_state text DEFAULT 'open'::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object('branch_prefix', (select p.branch_prefix from public.products p where p.id = p_product_id), 'pulls', (
    select coalesce(json_agg(private.pull_json(p) order by p.number desc), '[]')
    from (
      select x.* from public.pulls x
      where x.product_id = p_product_id and (p_state = 'all' or x.state = 'open')
      order by x.number desc limit 1000
    ) p));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_reviews(p_product_id uuid DEFAULT NULL::uuid, p_cursor text DEFAULT NULL::text, p_limit integer DEFAULT 50)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_after integer := case when p_cursor ~ '^[0-9]{1,9}$' then p_cursor::integer else 0 end;
  v_products uuid[];
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_products := array(
    select w.id from private.writable_product_ids() w (id) where p_product_id is null or w.id = p_product_id);
  return (
    with waiting as materialized (
      select r.*, row_number() over (order by r.frees_tasks desc, r.hours desc, r.lines, r.waiting_since, r.job_id) as place
      from private.waiting_reviews(v_products) r
    )
    select json_build_object(
      'reviews', coalesce(json_agg(private.waiting_review_json(w.job_id, w.waiting_since, w.frees_tasks, w.frees_jobs) order by w.place), '[]'),
      'next_cursor', case when max(w.place) < (select max(a.place) from waiting a) then max(w.place)::text end)
    from waiting w where w.place > v_after and w.place <= v_after + v_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.make_story_tasks(p_product_id uuid, p_story_ids jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_made integer;
begin
  perform private.require_write('product', p_product_id);
  insert into public.tasks (story_id, title, description, priority)
  select s.id, s.title, s.description, s.priority
  from public.stories s
  where s.product_id = p_product_id and s.id in (select x::uuid from jsonb_array_elements_text(p_story_ids) x)
    and s.status <> 'DONE' and not s.is_template and not exists (select from public.tasks t where t.story_id = s.id)
  order by s.sort_order, s.created_at, s.id;
  get diagnostics v_made = row_count;
  return json_build_object('made', v_made);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.next_issue_note(p_product_id uuid, p_worker text, p_project text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_due record;
  v_note public.issue_notes;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  select d.* into v_due from private.due_issue_notes(p_product_id) d
  where position(lower('/' || p_project || '/') in lower(d.url)) > 0 and private.is_own_address(p_product_id, d.url)
  limit 1;
  if v_due.url is null then
    return json_build_object('note', null);
  end if;
  insert into public.issue_notes as n (product_id, url, deed, worker, lease_until)
  values (p_product_id, v_due.url, v_due.deed, left(p_worker, 200), private.now() + interval '5 minutes')
  on conflict on constraint issue_notes_once do update
  set worker = excluded.worker, lease = gen_random_uuid(), lease_until = excluded.lease_until
  returning n.* into v_note;
  return json_build_object('note', json_build_object('id', v_note.id, 'lease', v_note.lease, 'deed', v_note.deed, 'url', v_note.url,
    'number', substring(v_note.url from '(\d{1,9})/?$')::integer, 'text', private.done_words(v_due.story_id), 'mark', v_due.story_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.next_landing(p_product_id uuid, p_worker text, p_pushes boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_landing public.landings;
  v_next record;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('landings', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  if not p_pushes and (select p.pull_requests = 'none' from public.products p where p.id = p_product_id) then
    return json_build_object('landing', null);
  end if;
  select l.* into v_landing from public.landings l where l.product_id = p_product_id and l.finished_at is null;
  if v_landing.state = 'waiting_ci' and v_landing.updated_at < private.now() - interval '3 hours' then
    v_landing := private.end_landing(v_landing, 'refused', 'CI has said nothing about it for three hours.');
  end if;
  -- CI that has not begun by then is not waited for; the worker tests by itself, or says that nothing tests it.
  if v_landing.state = 'waiting_ci' and v_landing.updated_at < private.now() - interval '10 minutes' and exists (
    select from public.pulls p where p.product_id = p_product_id and p.branch = v_landing.branch and p.head_sha = v_landing.head_sha and p.ci = 'none')
  then
    update public.landings l set state = 'working', lease_until = private.now() where l.id = v_landing.id returning l.* into v_landing;
  end if;
  -- CI or a reviewer may have sent it back meanwhile.
  if v_landing.id is not null and v_landing.finished_at is null and not exists (
    select from public.agent_jobs j where j.id = v_landing.job_id and j.status = 'DONE' and j.head_sha = v_landing.ours_sha)
  then
    v_landing := private.end_landing(v_landing, 'refused', 'Its work has changed.');
  end if;
  if v_landing.id is null or v_landing.finished_at is not null then
    select q.* into v_next from private.landing_queue(p_product_id) q order by q.place limit 1;
    if v_next.job_id is null then
      return json_build_object('landing', null);
    end if;
    insert into public.landings (product_id, job_id, branch, ours_sha, worker, lease_until)
    values (p_product_id, v_next.job_id, v_next.branch, v_next.head_sha, left(p_worker, 200), private.now() + interval '5 minutes')
    returning * into v_landing;
  elsif v_landing.state = 'waiting_ci' or v_landing.lease_until > private.now() then
    return json_build_object('landing', null);
  else
    update public.landings l
    set worker = left(p_worker, 200), lease = gen_random_uuid(), lease_until = private.now() + interval '5 minutes'
    where l.id = v_landing.id
    returning l.* into v_landing;
  end if;
  return json_build_object('landing', private.landing_json(v_landing) || (
    select jsonb_build_object('lease', v_landing.lease, 'repo_url', coalesce(nullif(t.repo_url, ''), p.repo_url), 'may_reach', p.may_reach,
      'task_code', t.code,
      'pull', (
        select jsonb_build_object('number', x.number, 'url', x.url, 'head_sha', x.head_sha, 'ci', x.ci,
          'expects_ci', private.expects_ci(v_landing)) from public.pulls x
        where x.product_id = p.id and x.branch = v_landing.branch and x.state = 'open' order by x.number desc limit 1))
    from public.agent_jobs j
    join public.products p on p.id = j.product_id
    join public.tasks t on t.id = j.task_id
    where j.id = v_landing.job_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.note_first_look(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  perform private.require_no_demo();
  perform private.require_product_write(v_job.product_id);
  if v_job.first_seen_at is null and not private.is_token() and (v_job.status = 'DONE' or v_job.phase = 'review') then
    perform private.lock_job(p_job_id, true);
    update public.agent_jobs j set first_seen_at = private.now() where j.id = p_job_id and j.first_seen_at is null;
  end if;
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.observe_issues(p_product_id uuid, p_label text, p_issues jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_issue jsonb;
  v_brought integer := 0;
  v_declined integer := 0;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('issues_observed', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id,
    (select jsonb_agg(jsonb_build_object('url', i -> 'url', 'state', i -> 'state') order by i ->> 'url') from jsonb_array_elements(p_issues) i),
    array(select i ->> 'url' from jsonb_array_elements(p_issues) i));
  if p_label = '' or not exists (select from public.products p where p.id = p_product_id and p.forge_issue_label = p_label) then
    return json_build_object('brought', 0, 'declined', 0);
  end if;
  for v_issue in select i from jsonb_array_elements(p_issues) i loop
    if v_issue ->> 'state' = 'closed' then
      v_declined := v_declined + private.decline_issue(p_product_id, v_issue ->> 'url');
    elsif private.known_item(p_product_id, v_issue ->> 'url') is null then
      perform private.bring_item(p_product_id, 'forge', left(regexp_replace(v_issue ->> 'title', '\s+', ' ', 'g'), 200),
        private.issue_words(v_issue), v_issue ->> 'url', v_issue ->> 'url');
      v_brought := v_brought + 1;
    end if;
  end loop;
  return json_build_object('brought', v_brought, 'declined', v_declined);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.observe_pulls(p_product_id uuid, p_pulls jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_seen jsonb;
  v_job public.agent_jobs;
  v_pull public.pulls;
  v_count integer := 0;
  v_again integer[] := '{}';
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('pulls_observed', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id,
    (select jsonb_agg(private.pull_said(s) order by s ->> 'url') from jsonb_array_elements(p_pulls) s),
    array(select s ->> 'url' from jsonb_array_elements(p_pulls) s));
  for v_seen in select s from jsonb_array_elements(p_pulls) s loop
    v_job := private.job_of_branch(p_product_id, v_seen ->> 'branch', v_seen ->> 'head_sha');
    continue when v_job.id is null;
    v_pull := private.note_pull(p_product_id, v_seen);
    v_count := v_count + (v_pull.id is not null)::integer;
    if v_pull.id is null or not private.follow_pull(v_pull, v_job, v_seen) then
      v_again := v_again || (v_seen ->> 'number')::integer;
    end if;
  end loop;
  return json_build_object('observed', v_count, 'again', to_json(v_again));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.preflight_sprint_run(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_task_ids uuid[] := private.sprint_task_ids(p_sprint_id);
  v_tasks integer := cardinality(v_task_ids);
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product, v_task_ids,
    array(select s.id from public.stories s where s.sprint_id = p_sprint_id), private.plans_first(v_product, null), false);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'plan_first', v_product.plan_first,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'stories_without_tasks', (
      select count(*) from public.stories s
      where s.sprint_id = p_sprint_id and s.status <> 'DONE' and not exists (select from public.tasks t where t.story_id = s.id)),
    'blockers', v_blockers,
    'begins_from', private.run_begins_from(p_sprint_id, v_product.pr_strategy),
    'warnings', private.budget_warnings(v_sprint));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.read_file(p_file_id uuid, p_from integer DEFAULT 0, p_length integer DEFAULT 0)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_file public.files;
begin
  select f.* into v_file from public.files f
  where f.id = p_file_id and f.product_id in (select private.accessible_product_ids());
  if v_file.id is null then
    perform private.refuse(404, 'No such file.');
  end if;
  if p_length > 0 then
    perform private.take_rate_limit('file_read', auth.uid()::text);
  end if;
  return json_build_object('name', v_file.name, 'type', v_file.type, 'size', v_file.size, 'content', (
    select encode(substring(c.content from p_from + 1 for least(p_length, 1048576)), 'base64')
    from public.file_contents c where c.file_id = p_file_id and p_length > 0));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.refresh_oauth_token(p_refresh_hash text, p_client_id text, p_audience text, p_scopes jsonb, p_token_hash text, p_new_refresh_hash text, p_next_tokens text, p_address_key text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_hash bytea := decode(p_refresh_hash, 'hex');
  v_grant public.api_tokens;
begin
  perform private.take_rate_limit('oauth_token', p_address_key);
  if not private.is_oauth_client(p_client_id) then
    return private.oauth_refusal('invalid_client');
  end if;

  select * into v_grant from public.api_tokens t where t.refresh_hash = v_hash for update;
  if not found then
    return private.answer_spent_refresh_token(v_hash, p_client_id);
  end if;
  if v_grant.revoked_at is not null or v_grant.refresh_expires_at <= v_now or v_grant.client_id <> p_client_id then
    return private.oauth_refusal('invalid_grant');
  end if;
  if v_grant.audience <> coalesce(p_audience, v_grant.audience) then
    return private.oauth_refusal('invalid_target');
  end if;
  if exists (select from jsonb_array_elements_text(p_scopes) s where s <> all (v_grant.scopes)) then
    return private.oauth_refusal('invalid_scope');
  end if;

  update public.spent_refresh_tokens set next_tokens = null
  where token_id = v_grant.id and next_tokens is not null and spent_at <= v_now - interval '30 seconds';
  insert into public.spent_refresh_tokens (refresh_hash, token_id, spent_at, next_tokens)
  values (v_hash, v_grant.id, v_now, p_next_tokens);
  update public.api_tokens
  set token_hash = decode(p_token_hash, 'hex'), expires_at = v_now + private.access_token_lifetime(),
      refresh_hash = decode(p_new_refresh_hash, 'hex'), refresh_expires_at = v_now + interval '30 days'
  where id = v_grant.id;
  update public.oauth_clients set used_at = v_now where id = p_client_id;
  return private.oauth_answer(v_grant.scopes);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_report private.job_report := jsonb_populate_record(null::private.job_report, p_report);
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED', 'QUEUED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED') and v_report.implementation_plan is null);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped, queued.');
  end if;
  if v_status = 'QUEUED' and v_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'Only a batch with blocked tasks can be given back. Report done, failed or skipped.');
  end if;
  perform private.require_link('pr_url', v_report.pr_url);
  v_class := lower(private.require_choice('failure_class', v_report.failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', v_report.verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_report(v_job, v_state, v_status, v_class, v_result) then
      -- The end of a task may have ended its batch before: what this report knows besides is not lost.
      if v_state = 'finished' then
        update public.agent_jobs j set failure_class = v_class
        where j.id = p_job_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status = 'FAILED' and v_class is not null;
        select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
        v_job := private.record_usage(v_job, p_attempt, v_report);
        perform private.note_attempt(v_job, v_report);
      end if;
      return private.job_json(v_job);
    end if;
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;

  -- Whoever only looks at the work of another moves nothing, and does not fail it by failing to look.
  if v_job.phase = 'verify' then
    v_report := private.verifiers_report(v_report);
  end if;
  if v_report.implementation_plan is not null then
    perform private.keep_plan(v_job, v_job.task_id, v_report.implementation_plan);
  end if;
  if v_report.evidence is not null then
    perform private.record_evidence(v_job, v_report.evidence);
  end if;
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'QUEUED' then 'QUEUED'
    when 'FAILED' then case when v_class = 'rate_limited' or (v_job.phase = 'verify' and v_job.retry_count < 3)
      then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, v_report.summary);
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);
  if v_report.head_sha is not null and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.note_head((select t.story_id from public.tasks t where t.id = v_job.task_id), v_job, v_report.head_sha);
  end if;
  v_phase := case when v_next = 'DONE' then private.phase_after(v_job, v_result) end;
  if v_phase is not null then
    v_next := 'QUEUED';
  end if;

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      phase = coalesce(v_phase, j.phase),
      claim_rank = case when v_phase is null then j.claim_rank else 0 end,
      author_worker_id = case when v_phase = 'verify' then j.worker_id else j.author_worker_id end,
      retry_count = j.retry_count + case when v_status = 'FAILED' and v_next = 'QUEUED' and v_class is distinct from 'rate_limited' then 1 else 0 end,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(v_report.failure_reason, v_report.summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' and v_status = 'FAILED' then private.pause_until(v_report.resets_at, p_attempt, v_job.sprint_run_id) end,
      base_sha = coalesce(j.base_sha, left(v_report.base_sha, 64)),
      head_sha = coalesce(left(v_report.head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(v_report.branch, 200)),
      pushed_at = coalesce(v_report.pushed_at, j.pushed_at),
      pr_url = coalesce(v_report.pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  if v_phase is not null then
    perform private.enter_phase(v_job);
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  end if;
  return private.job_json(v_job) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_issue_note(p_issue_note_id uuid, p_lease uuid, p_state text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_note public.issue_notes;
begin
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  perform private.require_product_access(v_note.product_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.lock_product(v_note.product_id);
  perform private.require_product_write(v_note.product_id);
  perform private.hear_worker(v_note.product_id, case when p_state in ('written', 'refused') then
    jsonb_build_object('url', v_note.url, 'deed', v_note.deed, 'state', p_state) end);
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  if v_note.lease is distinct from p_lease or v_note.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this note over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_note.tries >= 4 then
    p_state := 'refused';
  end if;
  update public.issue_notes n
  set state = case when p_state in ('written', 'refused') then p_state else 'working' end,
      words = left(p_words, 1000), tries = n.tries + (p_state = 'put_off')::integer,
      lease = case when p_state = 'put_off' then gen_random_uuid() else n.lease end,
      lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' * 4 ^ n.tries else interval '5 minutes' end,
      finished_at = case when p_state in ('written', 'refused') then private.now() end
  where n.id = p_issue_note_id
  returning n.* into v_note;
  return json_build_object('id', v_note.id, 'state', v_note.state);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_landing(p_landing_id uuid, p_lease uuid, p_state text, p_head_sha text DEFAULT NULL::text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_landing public.landings;
  v_words text := left(p_words, 10000);
begin
  select l.* into v_landing from public.landings l where l.id = p_landing_id;
  perform private.require_product_access(v_landing.product_id);
  perform private.take_rate_limit('landings', auth.uid()::text);
  perform private.lock_product(v_landing.product_id);
  perform private.require_product_write(v_landing.product_id);
  perform private.hear_worker(v_landing.product_id, case when p_state in ('landed', 'conflict', 'test_failed', 'refused') then
    jsonb_build_object('branch', v_landing.branch, 'state', p_state, 'head_sha', p_head_sha) end);
  select l.* into v_landing from public.landings l where l.id = p_landing_id;
  if v_landing.lease is distinct from p_lease or v_landing.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this landing over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_landing.tries >= 4
    or p_state = 'untested' and v_landing.created_at < private.now() - interval '30 minutes'
  then
    p_state := 'refused';
  end if;
  case
    when p_state in ('working', 'put_off', 'untested', 'waiting_ci') then
      update public.landings l
      set state = case p_state when 'waiting_ci' then 'waiting_ci' else 'working' end,
          head_sha = coalesce(p_head_sha, l.head_sha), words = v_words, tries = l.tries + (p_state = 'put_off')::integer,
          lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' when 'untested' then interval '10 seconds'
            else interval '5 minutes' end,
          lease = case when p_state in ('put_off', 'untested') then gen_random_uuid() else l.lease end
      where l.id = p_landing_id
      returning l.* into v_landing;
    else
      v_landing := private.end_landing(v_landing, p_state, v_words, p_head_sha);
  end case;
  return private.landing_json(v_landing);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_merged(p_job_id uuid, p_head_sha text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job private.works := private.lock_work(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  end if;
  perform private.hear_worker(v_job.product_id);
  if private.is_token() and p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job is at %s now. Report that commit once it is on the main branch.',
      coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    v_job.merged_at := private.now();
    perform private.set_merged(array[p_job_id], v_job.merged_at);
    perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
      'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha, 'by_token', private.is_token()));
    if not private.is_token() then
      perform private.remember_change('job', v_job.id, v_job.product_id, private.code_of('job', v_job.id),
        '{"merged_at": null}', jsonb_build_object('merged_at', v_job.merged_at));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION operations.resume_sprint(p_sprint_id uuid, p_skip_failed boolean DEFAULT false, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_failed uuid[];
  v_task_ids uuid[];
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product can have only one active sprint.', v_other));
  end if;

  v_failed := array(
    select t.id from public.tasks t join public.stories s on s.id = t.story_id
    where p_skip_failed and s.sprint_id = p_sprint_id and t.status = 'FAILED');
  -- Stories and PBIs follow their tasks out of failed. Taken back alone, that would fail the run that starts here.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;
  perform set_config('backloom.undoing', '', true);

  v_task_ids := array(select i from unnest(private.sprint_task_ids(p_sprint_id)) i where i <> all (v_failed));
  if v_task_ids = '{}' then
    return null;
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  select p.* into v_product from public.products p where p.id = v_product_id;
  select * into v_scope from private.settle_scope(v_sprint, v_product, v_task_ids, coalesce(p_plan_first, nullif(v_previous.plan_first, false)),
    p_use_description, p_skip_failed or p_leave_out or exists (
      select from unnest(v_task_ids) i where i not in (select x.task_id from private.run_tasks(v_previous.id) x)));
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous, v_scope.task_ids, v_scope.plan_first);
  return private.run_json(v_run, false) || jsonb_build_object('left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.review_job(p_job_id uuid, p_verdict text, p_summary text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := coalesce(btrim(p_summary), '');
  v_review public.job_reviews;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it in the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, head_sha)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'), v_job.head_sha)
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  update public.agent_jobs j set judged_at = private.now() where j.id = p_job_id and j.judged_at is null;
  if v_verdict = 'request_changes' then
    perform private.void_proof(v_job);
  end if;
  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.emit('product:' || v_job.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', p_job_id,
    'product_id', v_job.product_id, 'changed_fields', jsonb_build_array('review'), 'task_id', v_job.task_id, 'idea_id', null,
    'kind', v_job.kind, 'status', v_job.status, 'sprint_run_id', v_job.sprint_run_id));
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_files jsonb := p_diff -> 'files';
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_additions bigint;
  v_deletions bigint;
begin
  if v_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A conversation about an idea changes no files. Report it without a diff.');
  end if;
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_diff', p_job_id::text);
  select coalesce(sum((f ->> 'additions')::bigint), 0), coalesce(sum((f ->> 'deletions')::bigint), 0)
  into v_additions, v_deletions
  from jsonb_array_elements(v_files) f;
  if v_additions > 2147483647 or v_deletions > 2147483647 then
    perform private.refuse(422, 'This is too many lines to review. Send the changes without their patches.');
  end if;

  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, marks, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), private.review_marks(v_job, p_attempt, v_files), private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, marks = excluded.marks, created_at = excluded.created_at;
  insert into public.touched_paths (product_id, path, job_id, attempt)
  select distinct v_job.product_id, f ->> 'path', p_job_id, p_attempt from jsonb_array_elements(v_files) f
  -- Enough for any repository, and an end for whoever sends other paths each time.
  where (select count(*) from (select from public.touched_paths x where x.product_id = v_job.product_id limit 200000) x) < 200000
  on conflict do nothing;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_run(p_task_ids jsonb DEFAULT NULL::jsonb, p_story_id uuid DEFAULT NULL::uuid, p_strategy text DEFAULT NULL::text, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false, p_stop_at jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
  v_product_id uuid;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  if p_story_id is not null then
    v_product_id := private.require_write('story', p_story_id);
  end if;
  if (p_story_id is null) = (p_task_ids is null) then
    perform private.refuse(422, 'Name task_ids or story_id, one of them.');
  end if;
  if p_story_id is null then
    v_task_ids := private.task_ids_of(p_task_ids);
    v_product_id := private.require_write('task', v_task_ids[1]);
    perform private.require_one_product(v_task_ids, v_product_id);
  else
    v_task_ids := private.tasks_to_start(array(select t.id from public.tasks t where t.story_id = p_story_id));
  end if;
  perform private.refuse_triage(array(
    select distinct t.story_id from public.tasks t where t.id = any (v_task_ids)
    union select p_story_id where p_story_id is not null));
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.pr_strategy := coalesce(private.require_choice('strategy', p_strategy, array['SPRINT', 'STORY', 'SPRINT_BATCH']), 'STORY');

  -- Stories and PBIs follow their tasks out of failed; what is refused below takes this back. Taken back alone, it would fail the run.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  where t.id = any (v_task_ids) and t.status = 'FAILED'
    and t.id not in (select h.task_id from private.held_by_runs(v_product_id, false) h);
  perform set_config('backloom.undoing', '', true);

  select * into v_scope from private.settle_scope(null, v_product, v_task_ids, p_plan_first, p_use_description, p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(null, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return json_build_object('run', private.run_json(v_run, false), 'left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_product(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_version('product', p_product_id, p_changes);

  perform private.set_fields('public.products', p_product_id, p_changes - '{landing_since,archived_at}'::text[]
    || coalesce((select jsonb_build_object('landing_since', private.now()) from public.products p
      where p.id = p_product_id and p.landing = 'manual' and p_changes ->> 'landing' = 'queue'), '{}'));
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return operations.get_product(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_story(p_story_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_changes -> 'labels');
begin
  perform private.require_version('story', p_story_id, p_changes);
  if p_changes ->> 'pbi_id' is not null then
    perform private.require_access('pbi', (p_changes ->> 'pbi_id')::uuid);
  end if;

  perform private.set_fields('public.stories', p_story_id,
    p_changes - '{sprint_id,assignee_id,in_triage}'::text[] || jsonb_build_object('label_ids', v_label_ids));
  return private.story_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.adds_secret(p_files jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where f ->> 'patch' ~ '\n\+[^\n]*(•••|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20}|glpat-[A-Za-z0-9_-]{20}|sk-[A-Za-z0-9_-]{20}|xox[abprs]-[A-Za-z0-9-]{10}|-----BEGIN [A-Z ]*PRIVATE KEY)');
end;
$function$;

CREATE OR REPLACE FUNCTION private.advance_branch_queue(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not private.is_run_unfinished(p_job.sprint_run_id) then
    return;
  end if;

  if private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id) then
    return;
  end if;
  perform private.lock_part('run', p_job.sprint_run_id);
  perform private.complete_run(p_job.sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.advance_task(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  case p_job.status
    when 'CLAIMED', 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status = 'TO_DO';
      -- Only the first claim of a run: preparing an update costs more than this look, and it is every claim that comes here.
      if exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status = 'QUEUED') then
        update public.sprint_runs r
        set status = 'RUNNING', started_at = coalesce(r.started_at, private.now())
        where r.id = p_job.sprint_run_id and r.status = 'QUEUED';
      end if;
    when 'DONE' then
      update public.tasks t set status = 'DONE'
      where t.id = p_job.task_id and t.status <> 'DONE'
        and not exists (
          select from public.task_executions e
          where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
            and e.task_id = p_job.task_id and e.status = 'SKIPPED'
        );
      if p_job.kind = 'SPRINT_IMPLEMENTATION' then
        perform private.release_held_tasks(p_job.sprint_run_id);
      end if;
    when 'SKIPPED' then
      if p_job.kind = 'SPRINT_IMPLEMENTATION' then
        update public.task_executions e
        set status = 'SKIPPED', verify_result = 'EMPTY', finished_at = private.now()
        where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
      else
        update public.tasks t set status = 'REVIEW' where t.id = p_job.task_id and t.status not in ('DONE', 'REVIEW');
      end if;
    when 'FAILED' then
      update public.tasks t set status = 'FAILED' where t.id = p_job.task_id and t.status <> 'FAILED';
    else
      null;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.after_job_change(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_status_changed boolean := p_new.status <> p_old.status;
  v_was_held boolean := p_old.status in ('CLAIMED', 'RUNNING');
  v_has_ended boolean := p_new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED');
begin
  if v_has_status_changed and p_new.task_id is not null and p_new.status not in ('QUEUED', 'CANCELLED') then
    perform private.advance_task(p_new);
  end if;

  if p_new.attempt <> p_old.attempt then
    perform private.begin_attempt(p_new);
  elsif v_was_held and p_new.status not in ('CLAIMED', 'RUNNING') then
    perform private.end_attempt(p_old, p_new);
  end if;

  -- A lost or taken-over attempt can report no more, so the usage it has reported so far is final.
  if (p_old.attempt > 0 and p_new.attempt <> p_old.attempt)
    or (v_was_held and p_new.status in ('QUEUED', 'FAILED') and p_new.failure_class = 'infrastructure') then
    perform private.keep_usage_so_far(p_old.id, p_old.attempt);
  end if;

  if v_was_held and p_new.status in ('DONE', 'SKIPPED') then
    perform private.release_noted(p_new.sprint_run_id);
  end if;

  if p_old.sprint_run_id is not null and p_old.status in ('QUEUED', 'CLAIMED', 'RUNNING') and v_has_ended then
    perform private.advance_branch_queue(p_old);
  end if;

  -- A dependency may be added while a job is at work. If the job returns and its blocker is behind it in the same branch
  -- queue, the turn passes on, or nothing would ever begin.
  if v_was_held and p_new.status = 'QUEUED' and p_new.open_blockers > 0 and p_new.in_turn and p_new.sprint_run_id is not null then
    perform private.pass_turn(p_new.sprint_run_id, p_new.lane_id);
  end if;

  if (v_has_status_changed and v_has_ended)
    or (p_new.status = 'QUEUED' and p_old.phase = 'implement' and p_new.phase in ('verify', 'review')) then
    perform private.settle_messages(p_old, p_new);
  end if;

  -- Failed jobs of ideas need a person and appear in the inbox at once.
  if v_has_status_changed and 'FAILED' in (p_old.status, p_new.status) and p_new.idea_id is not null then
    perform private.emit_to_members(p_new.product_id,
      jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_new.id, 'product_id', p_new.product_id));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.after_story_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    perform private.derive_pbis(array(select distinct n.pbi_id from new_stories n));
    perform private.tell_triage(array(select distinct n.product_id from new_stories n where n.in_triage and not n.is_template));
    return null;
  elsif tg_op = 'DELETE' then
    perform private.derive_pbis(array(select distinct o.pbi_id from old_stories o));
    perform private.tell_triage(array(select distinct o.product_id from old_stories o where o.in_triage));
    return null;
  end if;

  perform private.derive_pbis(array(
    select c.pbi_id
    from new_stories n
    join old_stories o on o.id = n.id
    cross join lateral (values (n.pbi_id), (o.pbi_id)) as c (pbi_id)
    where n.status <> o.status or n.pbi_id <> o.pbi_id));

  -- A burn-down shows the tasks in the sprint on each day: those that join late do not change earlier days, and those
  -- that leave stay in the days they were there.
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  select t.id, t.story_id, t.product_id, n.sprint_id, t.status, t.status
  from new_stories n
  join old_stories o on o.id = n.id and o.sprint_id is distinct from n.sprint_id
  join public.tasks t on t.story_id = n.id;

  -- A done story releases the tasks of the stories it blocks, a reopened one blocks them again.
  perform private.settle_waiting((
    select array_agg(t.id)
    from new_stories n
    join old_stories o on o.id = n.id and (o.status = 'DONE') <> (n.status = 'DONE')
    join public.story_dependencies d on d.blocker_id = n.id
    join public.tasks t on t.story_id = d.blocked_id));

  perform private.tell_triage(array(
    select distinct n.product_id from new_stories n join old_stories o on o.id = n.id and o.in_triage <> n.in_triage));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.after_task_change(p_old public.tasks, p_new public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_moved boolean := p_new.story_id <> p_old.story_id;
  v_was_done boolean := p_old.status = 'DONE';
  v_is_done boolean := p_new.status = 'DONE';
begin
  -- The history behind burn-down and cycle time.
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  values (p_new.id, p_new.story_id, p_new.product_id,
    (select s.sprint_id from public.stories s where s.id = p_new.story_id), p_old.status, p_new.status);

  if p_new.status <> p_old.status and 'REVIEW' in (p_old.status, p_new.status) then
    perform private.list_in_review(p_new.id);
  end if;

  -- A done task releases what waits for it, a reopened one blocks it again; a moved one is blocked by the blockers of its
  -- new story.
  if v_is_done <> v_was_done or v_has_moved then
    perform private.settle_task_waiting(p_old, p_new);
  end if;

  if p_new.status = 'FAILED' and p_old.status <> 'FAILED' then
    perform private.stop_failed_run(p_new);
  end if;
  if v_is_done and not v_was_done then
    perform private.finish_elsewhere(p_new.id);
  end if;

  if p_new.status = 'REVIEW' and p_old.status <> 'REVIEW' then
    perform private.notify_review(p_new);
  end if;
  if p_new.status <> p_old.status and 'REVIEW' in (p_old.status, p_new.status) then
    perform private.emit_to_members(p_new.product_id,
      jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_new.id, 'product_id', p_new.product_id));
  end if;

  -- Last, because the steps above may have changed other tasks of the story. The PBI follows its story.
  if v_has_moved or (p_new.status <> p_old.status
      and (p_new.status in ('DONE', 'FAILED') or p_old.status in ('DONE', 'FAILED'))) then
    perform private.derive_stories(array[p_new.story_id, p_old.story_id]);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.answer_spent_refresh_token(p_refresh_hash bytea, p_client_id text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_spent public.spent_refresh_tokens;
  v_grant public.api_tokens;
begin
  select * into v_spent from public.spent_refresh_tokens s where s.refresh_hash = p_refresh_hash;
  select * into v_grant from public.api_tokens t where t.id = v_spent.token_id;
  if v_grant.client_id = p_client_id and v_grant.revoked_at is null and v_spent.next_tokens is not null
    and v_spent.spent_at > private.now() - interval '30 seconds' then
    return (private.oauth_answer(v_grant.scopes)::jsonb || jsonb_build_object('next_tokens', v_spent.next_tokens))::json;
  end if;
  perform private.end_grant(v_grant.id, 'refresh token used again');
  return private.oauth_refusal('invalid_grant');
end;
$function$;

CREATE OR REPLACE FUNCTION private.awaited_heads(p_user_id uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null and p.dependency_release = 'merged'
    where m.user_id = p_user_id and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
    order by p.id
  loop
    for v_work in
      select w
      from jsonb_array_elements(private.awaited_work(array(
        select a.task_id
        from public.sprint_runs r
        join public.agent_jobs j on j.sprint_run_id = r.id and j.status = 'QUEUED' and j.open_blockers > 0
        cross join lateral unnest(private.tasks_of_job(j)) as a (task_id)
        where r.product_id = v_product.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      ), 50)) w
      where w ->> 'head_sha' is not null
    loop
      v_heads := v_heads || (v_work || jsonb_build_object('product_repo_url', v_product.repo_url, 'repo_url', (
        select coalesce(nullif(t.repo_url, ''), v_product.repo_url) from private.works j join public.tasks t on t.id = j.task_id
        where j.id = (v_work ->> 'job_id')::uuid)));
    end loop;
  end loop;
  return nullif(v_heads, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.base_refs(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := private.tasks_of_job(p_job);
  v_task_ids uuid[];
  v_story_ids uuid[];
  v_repo_url text;
begin
  v_task_ids := array(select d.blocker_id from public.task_dependencies d where d.blocked_id = any (v_waiting));
  v_story_ids := array(select d.blocker_id from public.story_dependencies d
    where d.blocked_id = any (array(select t.story_id from public.tasks t where t.id = any (v_waiting))));
  if v_task_ids = '{}' and v_story_ids = '{}' then
    return '[]';
  end if;
  v_task_ids := v_task_ids || array(select t.id from public.tasks t where t.story_id = any (v_story_ids));
  v_repo_url := (
    select coalesce(nullif(t.repo_url, ''), p.repo_url)
    from public.tasks t join public.products p on p.id = t.product_id where t.id = p_job.task_id);
  return (
    select coalesce(json_agg(jsonb_build_object('task_id', h.task_id, 'task_code', h.code, 'branch', h.branch, 'head_sha', h.head_sha)
      || case when h.merged then '{"merged": true}' else '{}' end::jsonb order by h.sort_order, h.code), '[]')
    from (
      select distinct on (j.branch) t.id as task_id, t.code, t.sort_order, j.branch, j.head_sha,
        p.dependency_release = 'merged' and j.merged_at is not null as merged
      from unnest(v_task_ids) k (id)
      join public.tasks t on t.id = k.id and t.status = 'DONE'
      join public.products p on p.id = t.product_id
      cross join lateral (
        select b.id, b.status, b.branch, b.head_sha, b.finished_at, b.merged_at
        from private.works a cross join lateral private.branch_head(a) b
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.finished_at is not null
        union all
        -- The head of a batch is that of its end, and until then, or without one, that of each of its tasks.
        select a.id, 'DONE', a.branch, case a.status when 'DONE' then a.head_sha else e.head_sha end,
          case a.status when 'DONE' then a.finished_at else e.finished_at end, a.merged_at
        from public.task_executions e
        join private.works a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = t.id and e.status = 'DONE'
      ) j
      -- Where the main branch is waited for, it has what is done without an own commit, or nobody knows.
      where (j.status = 'DONE' or j.status = 'SKIPPED' and p.dependency_release = 'done') and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url
      order by j.branch, j.finished_at desc, j.id, t.sort_order, t.code
    ) h
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_attempt(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, confinement, started_at)
  values (p_job.id, p_job.attempt, p_job.product_id, p_job.worker_id,
    coalesce((select w.name from public.agent_workers w where w.id = p_job.worker_id), ''), p_job.confinement,
    coalesce(p_job.claimed_at, private.now()))
  on conflict (job_id, attempt) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.branch_prefix_of(p_branch text, p_product public.products)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_folder text := regexp_replace(p_branch, '/[^/]*$', '');
  v_end text := '/' || private.branch_part(p_product.code, p_product.id);
begin
  if p_branch is null or starts_with(p_branch, p_product.branch_prefix || '/') then
    return p_product.branch_prefix;
  end if;
  return case when right(v_folder, length(v_end)) = v_end then left(v_folder, -length(v_end)) else v_folder end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.build_call(p_role text, p_function text, p_arguments jsonb, OUT p_statement text, OUT p_writes boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_names text[];
  v_types oid[];
  v_type text;
  v_separator text := '';
begin
  -- A volatile function writes (specification: Authentication 3), but for three that read and count against a limit.
  select p.proargnames, p.proargtypes::oid[], p.provolatile = 'v' and p.proname not in ('search', 'list_candidates', 'read_file')
  into v_names, v_types, p_writes
  from pg_catalog.pg_proc p
  where p.proname = p_function and p.pronamespace = 'operations'::regnamespace
    and has_function_privilege(p_role, p.oid, 'execute');

  if not found then
    raise exception using errcode = 'PT404', message = format('There is no operation %s.', p_function);
  end if;

  p_statement := '';
  for i in 1 .. coalesce(cardinality(v_names), 0) loop
    continue when not p_arguments ? v_names[i];
    v_type := format_type(v_types[i - 1], null);
    p_statement := p_statement
      || v_separator || quote_ident(v_names[i]) || ' => '
      || case
           when v_type in ('jsonb', 'json') then 'nullif($1 -> ' || quote_literal(v_names[i]) || ', ''null''::jsonb)::' || v_type
           else '($1 ->> ' || quote_literal(v_names[i]) || ')::' || v_type
         end;
    v_separator := ', ';
  end loop;

  if p_arguments - coalesce(v_names, '{}') <> '{}' then
    raise exception using errcode = 'PT404',
      message = format('The operation %s does not take the arguments %s.', p_function,
        p_arguments - coalesce(v_names, '{}'));
  end if;

  p_statement := 'select operations.' || quote_ident(p_function) || '(' || p_statement || ')';
end;
$function$;

CREATE OR REPLACE FUNCTION private.change_sprint_status(p_sprint_id uuid, p_from public.sprint_status, p_to public.sprint_status)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status <> p_from then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s; only a sprint that is %s can become %s.', v_sprint.code,
        lower(v_sprint.status::text), lower(p_from::text), lower(p_to::text));
  end if;

  if p_to = 'ACTIVE' and exists (
    select from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE'
  ) then
    raise exception using errcode = 'PT409', message = 'Another sprint of this product is active. Complete it first.';
  end if;

  if p_to = 'COMPLETED' then
    perform private.end_reviewed_run(r) from public.sprint_runs r
    where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  end if;

  update public.sprints s
  set status = p_to,
      started_at = case when p_to = 'ACTIVE' then private.now() else s.started_at end,
      completed_at = case when p_to = 'COMPLETED' then private.now() else s.completed_at end
  where s.id = p_sprint_id;

  if p_to in ('COMPLETED', 'CANCELLED') then
    insert into public.sprint_leftovers (sprint_id, story_id)
    select p_sprint_id, s.id from public.stories s where s.sprint_id = p_sprint_id and s.status <> 'DONE'
    on conflict do nothing;
    -- Taken back alone, that would bring stories into a sprint that is over.
    perform set_config('backloom.undoing', 'yes', true);
    update public.stories s set sprint_id = null where s.sprint_id = p_sprint_id and s.status <> 'DONE';
    perform set_config('backloom.undoing', '', true);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.code_of(p_kind text, p_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then (select t.code from public.tasks t where t.id = p_id)
    when 'story' then (select s.code from public.stories s where s.id = p_id)
    when 'pbi' then (select b.code from public.pbis b where b.id = p_id)
    when 'job' then (select t.code from private.works j join public.tasks t on t.id = j.task_id where j.id = p_id)
  end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_template(p_template_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_copies jsonb;
begin
  perform private.insert_rows('public.stories', (
    select jsonb_agg(private.own_fields('story', to_jsonb(s)) - '{code,in_triage,external_id,external_url,origin}'::text[]
      || jsonb_build_object('id', v_id, 'template_id', s.id,
        'sprint_id', (select p.id from public.sprints p where p.product_id = s.product_id and p.status = 'ACTIVE')))
    from public.stories s where s.id = p_template_id));

  v_copies := (
    select coalesce(jsonb_object_agg(t.id, gen_random_uuid()), '{}') from public.tasks t where t.story_id = p_template_id);
  perform private.insert_rows('public.tasks', (
    select jsonb_agg(private.own_fields('task', to_jsonb(t)) - '{code,status}'::text[]
      || jsonb_build_object('id', v_copies -> t.id::text, 'story_id', v_id)
      order by t.sort_order, t.created_at, t.id)
    from public.tasks t where t.story_id = p_template_id));
  -- The repository of a task counts for whoever named it, and here that was not the service.
  update public.tasks c set repo_url_by = t.repo_url_by
  from public.tasks t
  where t.story_id = p_template_id and t.repo_url_by is not null and c.id = (v_copies ->> t.id::text)::uuid;
  insert into public.task_dependencies (blocked_id, blocker_id, product_id, created_by)
  select (v_copies ->> d.blocked_id::text)::uuid, coalesce((v_copies ->> d.blocker_id::text)::uuid, d.blocker_id), d.product_id, d.created_by
  from public.task_dependencies d
  where v_copies ? d.blocked_id::text;
  insert into public.budgets (product_id, scope, task_id, unit, amount, created_by)
  select b.product_id, 'task', (v_copies ->> b.task_id::text)::uuid, b.unit, b.amount, b.created_by
  from public.budgets b
  where v_copies ? b.task_id::text;
  return v_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deletes_tests(p_files jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where private.is_test_path(coalesce(f ->> 'old_path', f ->> 'path')) and (f ->> 'status' = 'deleted'
      or regexp_count(f ->> 'patch', '^-\s*(it|test|describe|def test|func Test|#\[test\]|@Test)\M', 1, 'n')
        > regexp_count(f ->> 'patch', '^\+\s*(it|test|describe|def test|func Test|#\[test\]|@Test)\M', 1, 'n')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.dependency_blockers(p_sprint_id uuid, p_task_ids uuid[], p_story_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', case when e.failed then 'dependency_failed' else 'dependency_outside' end,
      'message', format('%s is blocked by %s, which %s.', e.code, e.blocker_code,
        case when e.failed then 'failed' when e.is_empty then 'has no task'
          when e.is_of_sprint or p_sprint_id is null then 'is neither done nor in this run' else 'is neither done nor in this sprint' end),
      'task_id', e.task_id, 'task_code', e.task_code, 'story_id', e.story_id, 'story_code', e.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', e.kind, 'id', e.id, 'code', e.code, 'blocker_id', e.blocker_id, 'blocker_code', e.blocker_code,
        'joining_story_id', case when e.may_join then e.joining_story_id end, 'joining_story_code', case when e.may_join then e.joining_story_code end)
    ) order by e.sort_order, e.code, e.blocker_code), '[]')
    from (
      select 'task' as kind, t.id, t.code, t.sort_order, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        b.id as blocker_id, b.code as blocker_code, b.status = 'FAILED' as failed, false as is_empty, bs.sprint_id = p_sprint_id as is_of_sprint,
        bs.id as joining_story_id, bs.code as joining_story_code,
        p_sprint_id is not null and bs.sprint_id is null and b.status <> 'FAILED' as may_join
      from unnest(p_task_ids) i (id)
      cross join lateral (select k.* from public.tasks k where k.id = i.id offset 0) t
      join public.stories s on s.id = t.story_id
      join public.task_dependencies d on d.blocked_id = t.id
      join public.tasks b on b.id = d.blocker_id and b.status <> 'DONE' and b.id <> all (p_task_ids)
      join public.stories bs on bs.id = b.story_id
      where b.status <> 'REVIEW' or bs.sprint_id is distinct from p_sprint_id
      union all
      select 'story', s.id, s.code, s.sort_order, null, null, s.id, s.code, b.id, b.code,
        b.status = 'FAILED', b.id = any (p_story_ids) and v.tasks = 0, b.sprint_id = p_sprint_id,
        b.id, b.code, p_sprint_id is not null and b.sprint_id is null and b.status <> 'FAILED' and v.tasks > 0
      from public.stories s
      join public.story_dependencies d on d.blocked_id = s.id
      join public.stories b on b.id = d.blocker_id and b.status <> 'DONE'
      cross join lateral (
        select count(*) as tasks, count(*) filter (where i.status = 'REVIEW') as in_review,
          count(*) filter (where i.status <> 'DONE' and i.id <> all (p_task_ids) and (i.status <> 'REVIEW' or b.sprint_id is distinct from p_sprint_id)) as left_out
        from public.tasks i where i.story_id = b.id) v
      where s.id = any (p_story_ids) and s.status <> 'DONE'
        and (v.tasks = 0 or v.left_out > 0 or (b.id <> all (p_story_ids) and v.in_review = 0))
        and exists (select from public.tasks t where t.story_id = s.id and t.id = any (p_task_ids))
    ) e
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.derive_pbis(p_pbi_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_pbi_ids uuid[];
begin
  -- Most changes leave the PBI as it is: then no write is tried, and no trigger of PBIs fires.
  select array_agg(b.id)
  into v_pbi_ids
  from public.pbis b
  where b.id = any (p_pbi_ids) and b.status <> 'BLOCKED' and b.status <> private.derived_pbi_status(b.id);
  if v_pbi_ids is not null then
    update public.pbis b set status = private.derived_pbi_status(b.id) where b.id = any (v_pbi_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.derive_stories(p_story_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[];
begin
  -- Most changes leave the story as it is: then no write is tried, and no trigger of stories fires.
  select array_agg(s.id)
  into v_story_ids
  from public.stories s
  where s.id = any (p_story_ids) and s.status <> private.derived_story_status(s.id, s.sprint_id);
  if v_story_ids is not null then
    update public.stories s
    set status = private.derived_story_status(s.id, s.sprint_id)
    where s.id = any (v_story_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.drop_output_middle(p_attempt public.job_attempts)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_first bigint;
  v_last bigint;
  v_freed bigint;
begin
  select min(z.seq), max(z.seq), sum(z.bytes) into v_first, v_last, v_freed
  from (
    select o.seq, private.output_bytes(o) as bytes, sum(private.output_bytes(o)) over (order by o.seq) as so_far
    from public.job_outputs o
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt
  ) z
  where z.so_far > 1048576 and z.so_far <= 1048576 + 1310720 + (p_attempt.output_bytes - 5242880);
  delete from public.job_outputs o
  where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt and o.seq between v_first and v_last;

  update public.job_attempts a
  set output_bytes = a.output_bytes - coalesce(v_freed, 0),
      dropped_from = least(a.dropped_from, v_first),
      dropped_to = greatest(a.dropped_to, v_last)
  where a.job_id = p_attempt.job_id and a.attempt = p_attempt.attempt;
end;
$function$;

CREATE OR REPLACE FUNCTION private.earlier_jobs(p_job public.agent_jobs, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
      select j.id, j.created_at from private.works j
      where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED') and not exists (
          select from public.tasks t join public.fresh_starts f on f.story_id = t.story_id
          where t.id = j.task_id and f.created_at >= j.finished_at)
      union all
      select j.id, j.created_at from private.works j
      join public.sprint_runs r on r.id = j.sprint_run_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = p_sprint_id and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED') and not exists (
          select from public.stories s join public.fresh_starts f on f.story_id = s.id
          where s.sprint_id = p_sprint_id and f.created_at >= j.finished_at)
      union all
      select j.id, j.created_at from private.works j
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and p_sprint_id is null and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
        and j.sprint_run_id in (
          select o.sprint_run_id from public.task_executions e join public.task_executions o on o.task_id = e.task_id
          where e.sprint_run_id = p_job.sprint_run_id)
        and not exists (
          select from public.task_executions e
          join public.tasks t on t.id = e.task_id
          join public.fresh_starts f on f.story_id = t.story_id
          where e.sprint_run_id = p_job.sprint_run_id and f.created_at >= j.finished_at)
      order by created_at desc limit 3) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_attempt(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_outcome text := lower(p_new.status::text);
begin
  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if p_new.status = 'QUEUED' then
    v_outcome := case
      when p_new.phase <> p_old.phase then 'done'
      when p_new.failure_class = 'rate_limited' then 'rate_limited'
      -- Only a verifier's report puts a job off; what is lost comes back at once.
      when p_new.failure_class is not null then case when p_new.not_before is null then 'lost' else 'failed_look' end
      when p_new.stopped_by_budget_id is not null then 'budget'
      when p_new.parked_question_id is not null then 'question'
      when exists (select from public.job_conflicts c where c.job_id = p_new.id and c.attempt = p_new.attempt and c.decision <> 'noted') then 'conflict'
      else 'returned'
    end;
  end if;
  update public.job_attempts a
  set ended_at = private.now(), head_sha = p_new.head_sha, outcome = v_outcome
  where a.job_id = p_new.id and a.attempt = p_new.attempt and a.ended_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_reviewed_run(p_run public.sprint_runs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_run.status = 'PAUSED' or exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (j.status <> 'QUEUED' or j.phase <> 'review'))
  then
    perform private.refuse(409, 'A run of this sprint is not finished. Let it finish, or cancel it first.');
  end if;
  perform private.end_run(p_run, 'DONE', null, null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_run(p_run public.sprint_runs, p_status public.sprint_run_status, p_reason text, p_failure jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.sprint_runs r
  set status = p_status, pause_context = null, finished_at = private.now(), failure = p_failure
  where r.id = p_run.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');

  perform private.close_question(p_run.pause_question_id);
  if p_status = 'DONE' then
    return;
  end if;

  perform private.close_question(j.parked_question_id)
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.parked_question_id is not null;

  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = p_reason
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (j.status <> 'QUEUED' or j.phase <> 'review');

  update public.task_executions e
  set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_run.id and e.status = 'RUNNING';
end;
$function$;

CREATE OR REPLACE FUNCTION private.ended_before_review(p_job public.agent_jobs)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'review' then
    return null;
  end if;
  return (
    select max(a.ended_at) from public.job_attempts a
    where a.job_id = p_job.id
      and exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status in ('DONE', 'FAILED', 'CANCELLED')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.expects_ci(p_landing public.landings)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_landing.created_at > private.now() - interval '10 minutes' and exists (
    select from (
      select p.id, p.ci, p.branch from public.pulls p where p.product_id = p_landing.product_id order by p.number desc limit 20
    ) p
    where p.ci <> 'none' or exists (
      select from public.pull_reactions r where r.pull_id = p.id and r.kind in ('ci_passed', 'ci_failed')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_stories(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(s),
      '{pbi_id,sprint_id,assignee_id,label_ids,in_triage,is_template,template_id,external_id,external_url,origin}') || jsonb_build_object(
      'status', case when s.status = 'TEMPLATE' then 'TRIAGE' else s.status end,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'labels', private.label_names(s.label_ids),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', private.export_log(s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', private.export_evidence(s.id),
      'waivers', private.export_waivers(s.id),
      'comments', private.export_comments(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_tasks(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(t), '{story_id,label_ids,repo_url_by,external_id}') || jsonb_build_object(
      'labels', private.label_names(t.label_ids),
      'blocked_by', private.export_blocked_by('task', t.id),
      'reviews', private.export_reviews(t.id),
      'comments', private.export_comments(t.id)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.exported(p_row jsonb, p_hidden text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_object_agg(f.key, case when f.key like '%\_at' then to_jsonb(private.export_time((f.value #>> '{}')::timestamptz)) else f.value end)
    from jsonb_each(p_row - '{id,product_id,sort_order,version,field_versions,updated_at}'::text[] - p_hidden) f);
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_elsewhere(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.task_executions e where e.task_id = p_task_id) then
    update public.task_executions e
    set status = 'DONE'
    from public.sprint_runs r
    where e.task_id = p_task_id and e.status in ('PENDING', 'RUNNING')
      and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  elsif not exists (select from public.agent_jobs o where o.task_id = p_task_id and o.status = 'QUEUED' and o.phase <> 'implement') then
    return;
  end if;

  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = p_task_id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = p_task_id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or not exists (select from private.held_tasks(j.sprint_run_id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.fits_pattern(p_path text, p_pattern text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_path ~ ('^' || replace(replace(replace(replace(replace(
    regexp_replace(p_pattern, '([.+?^${}()|\[\]\\])', '\\\1', 'g'), '**/', chr(1)), '**', chr(2)), '*', '[^/]*'), chr(1), '(.*/)?'), chr(2), '.*') || '$');
end;
$function$;

CREATE OR REPLACE FUNCTION private.gate_reasons(p_job public.agent_jobs, p_gate text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
begin
  case p_gate
  when 'review' then
    return private.review_reasons(p_job);
  when 'paused' then
    select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
    return jsonb_build_array(jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can continue.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id));
  when 'question' then
    select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
    return jsonb_build_array(jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= private.now() then 'The question it is waiting for was not answered in time'
        when v_question.kind = 'permission' then format('It is waiting for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It is waiting for the answer to a question' end
        || case when private.may_read_talk(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at));
  when 'not_before' then
    return jsonb_build_array(jsonb_build_object('code', 'not_before',
      'message', format(case p_job.failure_class when 'rate_limited' then 'It is rate-limited until %s.'
        else 'Its last attempt failed; it can be tried again at %s.' end, private.time_text(p_job.not_before)),
      'not_before', p_job.not_before));
  when 'dependency' then
    return private.job_dependency_reasons(p_job);
  when 'order' then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.in_turn desc, j.position limit 1;
    return jsonb_build_array(jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id));
  when 'archived' then
    return jsonb_build_array(jsonb_build_object('code', 'archived', 'message', 'The product is archived.'));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hear_worker(p_product_id uuid, p_said jsonb DEFAULT NULL::jsonb, p_addresses text[] DEFAULT '{}'::text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_foreign text;
  v_detail jsonb := jsonb_build_object('product_id', p_product_id, 'said', p_said,
    'code', (select p.code from public.products p where p.id = p_product_id));
begin
  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and (m.role = 'OWNER' or m.workers_allowed))
  then
    perform private.refuse(403, 'Only workers that are allowed in this product can report what happens in its repository and land its branches. Allow yours on the members page, or ask the owner.');
  end if;
  select a into v_foreign from unnest(p_addresses) a where not private.is_own_address(p_product_id, a) limit 1;
  if v_foreign is not null then
    perform private.refuse(403, format('%s is not in the repository of this product. If it should be, set the repository in the product''s settings to its address at the code host.', left(v_foreign, 300)));
  end if;
  if p_said is not null and not exists (
    select from public.audit_events e
    where e.user_id = auth.uid() and e.kind = 'worker.word' and e.created_at > private.now() - interval '1 hour' and e.detail = v_detail)
  then
    perform private.take_rate_limit('worker_word', auth.uid()::text);
    perform private.audit(auth.uid(), auth.uid(), 'worker.word', v_detail);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_proof(p_product_id uuid, p_stories jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.story_heads (story_id, head_sha, attempt)
  select (s ->> 'id')::uuid, s ->> 'head_sha', 0
  from jsonb_array_elements(p_stories) s
  where s ->> 'head_sha' is not null;

  perform private.insert_rows('public.evidence', (
    select jsonb_agg(l.line || jsonb_build_object('product_id', p_product_id, 'story_id', e.story -> 'id',
      'criterion', private.criterion_id(l.line ->> 'criterion'), 'criterion_text', l.line -> 'criterion',
      'file_id', private.imported_file(p_product_id, l.line ->> 'file'),
      'base_file_id', private.imported_file(p_product_id, l.line ->> 'base_file'),
      'created_at', coalesce(l.line ->> 'created_at', private.now()::text)) order by e.place, l.place)
    from jsonb_array_elements(p_stories) with ordinality e (story, place)
    cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)));

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_relations(p_product_id uuid, p_pbis jsonb, p_new text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_edge record;
  v_count integer := 0;
  v_impossible jsonb := '[]';
  v_reason text;
begin
  for v_edge in
    with items as (
      select s.story as item from jsonb_array_elements(p_pbis) b (pbi)
      cross join lateral jsonb_array_elements(b.pbi -> 'stories') s (story)
    ), edges as (
      select i.item ->> 'external_id' as blocked, w.id as blocker
      from (select item from items union all select jsonb_array_elements(item -> 'tasks') from items) i
      cross join lateral jsonb_array_elements_text(i.item -> 'blocked_by') w (id)
    ), ends as (
      select external_id, id as story_id, null::uuid as task_id from public.stories where product_id = p_product_id
      union all
      select external_id, story_id, id from public.tasks where product_id = p_product_id
    )
    select e.blocked, e.blocker, o.story_id, o.task_id, w.story_id as awaited_story_id, w.task_id as awaited_task_id
    from edges e
    left join ends o on o.external_id = e.blocked
    left join ends w on w.external_id = e.blocker
    where e.blocked = any (p_new) or e.blocker = any (p_new)
    order by e.blocked, e.blocker
    -- As many as app/nouns/transfers/contract.ts lets through: each looks for circles.
    limit 2000
  loop
    v_reason := case
      when v_edge.story_id is null or v_edge.awaited_story_id is null then 'Dependencies on what is not imported'
      when v_edge.story_id = v_edge.awaited_story_id and num_nulls(v_edge.task_id, v_edge.awaited_task_id) > 0
        then 'Dependencies between a story and its own part' end;
    if v_reason is null then
      begin
        if num_nulls(v_edge.task_id, v_edge.awaited_task_id) = 0 then
          perform private.insert_dependency('task', p_product_id, v_edge.task_id, v_edge.awaited_task_id);
        else
          perform private.insert_dependency('story', p_product_id, v_edge.story_id, v_edge.awaited_story_id);
        end if;
        v_count := v_count + 1;
      exception when sqlstate 'PT409' then
        v_reason := 'Dependencies that close a circle';
      when sqlstate 'PT422' then
        v_reason := 'Dependencies on itself, or on more than 100 others';
      end;
    end if;
    if v_reason is not null then
      v_impossible := v_impossible || jsonb_build_object('reason', v_reason, 'name',
        concat(regexp_replace(v_edge.blocked, '^[^:]*:', ''), ' on ', regexp_replace(v_edge.blocker, '^[^:]*:', '')));
    end if;
  end loop;
  return jsonb_build_object('dependencies', v_count, 'impossible', v_impossible);
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_rows(p_product_id uuid, p_pbis jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_claims text := current_setting('request.jwt.claims', true);
  v_user_id uuid := auth.uid();
  v_all jsonb;
  v_stories jsonb;
  v_tasks jsonb;
  v_task_count integer;
  v_pbi_count integer;
  v_label_count integer;
  v_relations jsonb;
begin
  perform set_config('request.jwt.claims', '', true);

  select coalesce(jsonb_agg(s.story || jsonb_build_object(
    'id', gen_random_uuid(), 'pbi', b.pbi ->> 'title', 'is_new', not exists (
      select from public.stories o where o.product_id = p_product_id and o.external_id = s.story ->> 'external_id')
    and not exists (
      select from public.tasks o where o.product_id = p_product_id and o.external_id = s.story ->> 'external_id')
  ) order by b.place, s.place), '[]')
  into v_all
  from jsonb_array_elements(p_pbis) with ordinality b (pbi, place)
  cross join lateral jsonb_array_elements(b.pbi -> 'stories') with ordinality s (story, place);
  select coalesce(jsonb_agg(s order by place), '[]') into v_stories
  from jsonb_array_elements(v_all) with ordinality s (s, place) where (s ->> 'is_new')::boolean;

  v_label_count := private.import_labels(p_product_id, v_stories);

  insert into public.pbis (product_id, title, description)
  select p_product_id, b.pbi ->> 'title', coalesce(b.pbi ->> 'description', '')
  from jsonb_array_elements(p_pbis) with ordinality b (pbi, place)
  where exists (select from jsonb_array_elements(v_stories) s where s ->> 'pbi' = b.pbi ->> 'title')
    and not exists (
      select from public.pbis o where o.product_id = p_product_id and lower(o.title) = lower(b.pbi ->> 'title'))
  order by b.place;
  get diagnostics v_pbi_count = row_count;

  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, assignee_id, label_ids, external_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id,
    case when e.repeats = 1 and not exists (
      select from public.stories o where o.product_id = p_product_id and o.code = e.story ->> 'code') then e.story ->> 'code' end,
    e.story ->> 'title', coalesce(e.story ->> 'description', ''), coalesce(e.story ->> 'acceptance_criteria', ''),
    coalesce((e.story ->> 'priority')::integer, 3), private.member_named(p_product_id, e.story ->> 'assignee'),
    private.label_ids_named(p_product_id, e.story -> 'labels'), e.story ->> 'external_id',
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from (
    select s.story, s.place, row_number() over (partition by s.story ->> 'code' order by s.place) as repeats
    from jsonb_array_elements(v_stories) with ordinality s (story, place)
  ) e
  cross join lateral (
    select o.id from public.pbis o
    where o.product_id = p_product_id and lower(o.title) = lower(e.story ->> 'pbi')
    order by o.created_at, o.id limit 1
  ) b
  order by (e.story ->> 'code') is null, e.place;

  select coalesce(jsonb_agg(t.task || jsonb_build_object('story_id', o.id) order by s.place, t.place), '[]'), coalesce(sum(1), 0)
  into v_tasks, v_task_count
  from jsonb_array_elements(v_all) with ordinality s (story, place)
  join public.stories o on o.product_id = p_product_id and o.external_id = s.story ->> 'external_id'
  cross join lateral jsonb_array_elements(coalesce(s.story -> 'tasks', '[]')) with ordinality t (task, place)
  where not exists (
      select from public.tasks k where k.product_id = p_product_id and k.external_id = t.task ->> 'external_id')
    and not exists (
      select from public.stories k where k.product_id = p_product_id and k.external_id = t.task ->> 'external_id');

  insert into public.tasks
    (product_id, story_id, title, description, implementation_plan, priority, status, estimated_minutes, label_ids, external_id, created_at)
  select p_product_id, (t ->> 'story_id')::uuid, t ->> 'title', coalesce(t ->> 'description', ''), t ->> 'implementation_plan',
    coalesce((t ->> 'priority')::integer, 3), coalesce(t ->> 'status', 'TO_DO')::public.task_status,
    (t ->> 'estimated_minutes')::integer, private.label_ids_named(p_product_id, t -> 'labels'), t ->> 'external_id',
    coalesce((t ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_tasks) with ordinality e (t, place)
  order by e.place;

  insert into public.story_logs (story_id, product_id, type, content, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, 'IMPLEMENTATION_PLAN', l ->> 'content', nullif(l -> 'metadata', 'null'), v_user_id,
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l;

  -- Nobody here has seen them hold, so nothing more than that is written, whatever the file says.
  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, excerpt, observed_by)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(c.words), c.words, 'pass', 'said', 'file',
    'Ticked off before the import', 'Import'
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements_text(e.story -> 'ticked') c (words);

  v_relations := private.import_relations(p_product_id, p_pbis, array(
    select i ->> 'external_id' from (
      select jsonb_array_elements(v_stories) as i union all select jsonb_array_elements(v_tasks)) n));

  perform set_config('request.jwt.claims', v_claims, true);
  return v_relations || jsonb_build_object(
    'pbis', v_pbi_count, 'stories', jsonb_array_length(v_stories), 'tasks', v_task_count, 'labels', v_label_count,
    'already_there', jsonb_array_length(v_all) - jsonb_array_length(v_stories),
    'unknown_people', (
      select coalesce(jsonb_agg(distinct s ->> 'assignee'), '[]') from jsonb_array_elements(v_stories) s
      where s ->> 'assignee' is not null and private.member_named(p_product_id, s ->> 'assignee') is null));
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_item_json(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q)))
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', coalesce(s.code, private.run_subject(r)), 'title', coalesce(s.sprint_goal, ''), 'sprint_id', s.id,
        'failed', x.failed, 'waiting', x.waiting, 'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r
      left join public.sprints s on s.id = r.sprint_id
      cross join lateral (
        select count(*) filter (where p.status = 'FAILED') as failed, count(*) filter (where p.status in ('QUEUED', 'CANCELLED', 'PENDING')) as waiting
        from (
          select j.status::text from public.agent_jobs j where j.sprint_run_id = r.id and j.kind = 'TASK_IMPLEMENTATION'
          union all
          select e.status::text from public.task_executions e where e.sprint_run_id = r.id
        ) p
      ) x
      where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
    when 'triage' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'waiting', x.waiting, 'newest', x.newest)
      from public.products p
      cross join lateral (
        select count(*) as waiting, (array_agg(s.title order by s.created_at desc, s.id))[1] as newest
        from public.stories s where s.product_id = p.id and s.in_triage and not s.is_template) x
      where p.id = p_id)
    when 'invitation' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'invited_by', private.username(i.created_by), 'role', i.role,
        'expires_at', i.expires_at)
      from public.product_invitations i join public.products p on p.id = i.product_id where i.id = p_id)
    when 'mention' then (
      select jsonb_build_object('code', x.code, 'title', x.title, 'author', c.author, 'excerpt', left(c.body, 500),
        'path', private.comment_path(c))
      from public.comments c
      cross join lateral (
        select t.code, t.title from public.tasks t where t.id = c.task_id
        union all
        select s.code, s.title from public.stories s where s.id = c.story_id
        union all
        select b.code, b.title from public.pbis b where b.id = c.pbi_id) x
      where c.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_rows(p_table regclass, p_rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_columns text := (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and p_rows -> 0 ? a.attname);
begin
  if v_columns is not null then
    execute format('insert into %1$s (%2$s) select %2$s from jsonb_populate_recordset(null::%1$s, $1)', p_table, v_columns) using p_rows;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_own_address(p_product_id uuid, p_url text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_repository text := (
    select regexp_replace(rtrim(lower(p.repo_url), '/'), '\.git$', '') from public.products p where p.id = p_product_id);
  v_address text := regexp_replace(lower(p_url), '^https?://', '');
  v_host text := regexp_replace(v_address, '[/:].*$', '');
  v_ssh text[] := regexp_match(v_repository, '^(?:ssh://)?[^@/:]+@([^/:]+)(?::[0-9]+(?=/))?[:/]+(.+)$');
begin
  if v_address ~ '[\\[:space:][:cntrl:]@?#]|(\.|%2e){2}' then
    return false;
  elsif v_repository ~ '^https?://' then
    return starts_with(v_address, regexp_replace(v_repository, '^https?://([^@/]*@)?', '') || '/');
  elsif v_ssh is not null then
    return case when v_ssh[1] ~ '\.'
      then '.' || v_ssh[1] like '%.' || v_host and starts_with(regexp_replace(v_address, '^[^/]*', ''), '/' || v_ssh[2] || '/')
      else position('/' || v_ssh[2] || '/' in v_address) > 0 end;
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_run_unfinished(p_sprint_run_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.sprint_runs r where r.id = p_sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_test_path(p_path text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_path ~* '(^|/)(tests?|__tests__|specs?)/|(^|/)[^/]*[._-](test|spec)\.[a-z]+$|(^|/)test_[^/]*\.py$';
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_end_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_worker record;
begin
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        private.time_text(p_job.lease_until), p_job.attempt,
        case when p_job.lease_until <= private.now() then '; the lease has expired, so the job returns to the queue within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;
  return jsonb_build_array(jsonb_build_object(
    'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
      then 'budget' else 'finished' end,
    'message', format('The job is %s%s', lower(p_job.status::text),
      coalesce(': ' || case when private.may_read_talk(p_job) then p_job.failure_reason end, '.')),
    'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_metrics()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_answer json;
begin
  with queued as materialized (
    select g.id, g.product_id, g.claim_rank, g.created_at, g.position, g.gates[1] as reason from private.job_gates g
  ), first_of_product as (
    select distinct on (q.product_id) q.product_id, q.id from queued q where q.reason is null
    order by q.product_id, q.claim_rank, q.created_at, q.position, q.id
    limit 200
  ), reason_of_product as (
    select f.product_id, (
      select e.reason ->> 'code' from public.agent_jobs j
      cross join lateral jsonb_array_elements(private.job_reasons(j)) as e (reason)
      where j.id = f.id and coalesce((e.reason ->> 'blocking')::boolean, true)
      limit 1) as reason
    from first_of_product f
  ), known as (
    select coalesce(q.reason, p.reason, 'ready') as reason, q.created_at
    from queued q left join reason_of_product p on p.product_id = q.product_id
  )
  select json_build_object(
    'queued', (select coalesce(json_object_agg(x.reason, x.n), '{}')
      from (select k.reason, count(*) as n from known k group by 1) x),
    'oldest_ready_seconds', (select extract(epoch from v_now - min(k.created_at)) from known k where k.reason = 'ready'),
    'held', count(*),
    'longest_wait_seconds', extract(epoch from max(j.claimed_at - j.created_at)))
  into v_answer
  from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING');
  return v_answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v record;
begin
  select
    json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pull_requests', p.pull_requests, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id, 'subject', private.run_subject(r),
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, private.branch_prefix_of(p_job.branch, p) as branch_prefix, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
    coalesce(r.plan_first, false) as plans_first,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from private.works j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
    p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id) as has_blockers,
    exists (select from public.job_reviews w where w.product_id = p_job.product_id) as has_reviews,
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  return private.with_key(json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'plan_first', v.plans_first and p_job.phase = 'implement' and (
      v_is_task and coalesce(p_job.plan_snapshot, '') !~ '\S'
      or p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
        select from public.task_executions e
        where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and coalesce(e.plan_snapshot, '') !~ '\S')),
    'previous_failure', case when v.has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    'questions', case when v.has_past then private.job_questions(p_job.id) else '[]' end,
    'review', case when v.has_reviews then private.review_payload(p_job) else '[]' end,
    'conflicts', case when v.has_conflicts then private.conflict_payload(p_job) else '[]' end,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'user_id', auth.uid(),
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'may_reach', v.may_reach,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'branch_prefix', v.branch_prefix,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'begins_from', private.begins_from(p_job),
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end
  ), 'messages', private.open_messages(p_job));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_gates text[];
  v_reasons jsonb;
begin
  if p_job.status <> 'QUEUED' then
    return private.job_end_reasons(p_job);
  end if;
  select g.gates into v_gates from private.job_gates g where g.id = p_job.id;
  if 'review' = any (v_gates) then
    return private.gate_reasons(p_job, 'review');
  end if;
  select coalesce(jsonb_agg(r.reason order by g.place, r.place), '[]') into v_reasons
  from unnest(v_gates) with ordinality g (gate, place)
  cross join lateral jsonb_array_elements(private.gate_reasons(p_job, g.gate)) with ordinality r (reason, place);
  v_reasons := v_reasons || private.budget_reasons(p_job) || private.pbi_reasons(p_job) || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    return jsonb_build_array(jsonb_build_object('code', 'ready',
      'message', 'Ready. The next free worker takes it. A worker that was started with --product takes jobs of that product only.'));
  end if;
  return v_reasons;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_states(p_sprint_run_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(case when j.status = 'QUEUED' and j.phase = 'review' then 'REVIEW' else j.status::text end order by j.position, j.id), '[]')
    from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_past(p_job_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.past_jobs (id, product_id, task_id, kind, status, sprint_run_id, branch, base_sha, head_sha, commits, pushed_at,
    merged_at, finished_at, created_at)
  select w.id, w.product_id, w.task_id, w.kind, w.status, w.sprint_run_id, w.branch, w.base_sha, w.head_sha, w.commits, w.pushed_at,
    w.merged_at, w.finished_at, w.created_at
  from private.works w where w.id = any (p_job_ids);
  update public.job_comments c set job_id = null
  from public.agent_jobs j
  where c.job_id = any (p_job_ids) and c.review_id is not null and j.id = c.job_id and j.kind = 'TASK_IMPLEMENTATION';
  update public.job_reviews r set task_id = j.task_id, job_id = null
  from public.agent_jobs j
  where r.job_id = any (p_job_ids) and j.id = r.job_id and j.kind = 'TASK_IMPLEMENTATION';
  update public.files f set job_id = null, story_id = coalesce(f.story_id, e.story_id)
  from public.evidence e
  where f.job_id = any (p_job_ids) and f.id in (e.file_id, e.base_file_id);
  -- What ended a run is still told; the job that it names is gone.
  update public.sprint_runs r set failure = r.failure || '{"job_id": null}'
  from public.agent_jobs j
  where j.id = any (p_job_ids) and r.id = j.sprint_run_id and r.failure ->> 'job_id' = j.id::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_in_review(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.tasks_in_review r
  using public.tasks t
  where r.task_id = p_task_id and t.id = r.task_id and t.status <> 'REVIEW';
  insert into public.tasks_in_review (task_id, product_id)
  select t.id, t.product_id from public.tasks t where t.id = p_task_id and t.status = 'REVIEW'
  on conflict (task_id) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.new_faults(p_pull public.pulls, p_seen jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(f.fault order by f.place), '[]')
    from (
      select 1 as place, jsonb_build_object('kind', 'ci_failed', 'id', '', 'text', private.ci_words(p_seen -> 'ci')) as fault
      where p_pull.ci = 'failed'
      union all
      select 2, jsonb_build_object('kind', 'conflict', 'id', '', 'text',
        'The pull request does not merge with the main branch. Where it still does not, the merge is begun in your folder with both versions: resolve the conflicts.')
      where p_pull.mergeable is false
      union all
      select 3, jsonb_build_object('kind', r ->> 'kind', 'id', r ->> 'id', 'text', private.comment_words(r))
      from jsonb_array_elements(coalesce(p_seen -> 'comments', '[]')) r
      where (r ->> 'trusted')::boolean and not (r ->> 'edited')::boolean
    ) f
    where not exists (
      select from public.pull_reactions k
      where k.pull_id = p_pull.id and k.kind = f.fault ->> 'kind' and k.external_id = f.fault ->> 'id'
        and (k.head_sha = p_pull.head_sha or k.external_id <> '')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_product(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[], p_confined boolean, p_also_repos jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return (
    select w.product_id
    from private.worker_products(p_user_id, p_product_id) as w (product_id)
    cross join lateral (
      select j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = w.product_id
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
        and private.worker_gates(j.job, p_user_id, p_worker_id, p_confined, p_also_repos) = '{}'
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where w.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_merged(p_product_id uuid, p_branch text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_gate public.done_requires;
begin
  select p.done_requires into v_gate from public.products p where p.id = p_product_id;
  if v_gate = 'ci' then
    update public.agent_jobs j set status = 'DONE'
    where j.product_id = p_product_id and j.branch = p_branch and j.status = 'QUEUED' and j.phase = 'review';
  end if;
  if v_gate <> 'person' then
    update public.tasks t set status = 'DONE'
    where t.status = 'REVIEW' and t.id in (
      select j.task_id from public.agent_jobs j where j.product_id = p_product_id and j.branch = p_branch and j.status = 'DONE' and j.merged_at is null);
  end if;
  perform private.set_merged(array(
    select w.id from private.works w
    where w.product_id = p_product_id and w.branch = p_branch and w.merged_at is null and w.finished_at is not null
      and (w.status = 'DONE' or w.kind = 'SPRINT_IMPLEMENTATION')), private.now());
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_merged_requests(p_product_id uuid, p_pbi_id uuid, p_was_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.set_merged(array[j.id], case when x.pr_merged_at > j.finished_at then x.pr_merged_at end)
  from (
    select w.id, min(b.pr_merged_at) as pr_merged_at
    from public.pbis b
    join public.stories s on s.pbi_id = b.id
    join public.tasks t on t.story_id = s.id
    cross join lateral (
      select a.id from private.works a where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.status = 'DONE'
      union all
      select a.id from public.task_executions e
      join private.works a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION' and a.finished_at is not null
      where e.task_id = t.id and e.status = 'DONE'
    ) w
    where b.product_id = p_product_id and (p_pbi_id is null or b.id = p_pbi_id)
    group by w.id
  ) x
  join private.works j on j.id = x.id
  where (j.merged_at is null and x.pr_merged_at > j.finished_at
    or j.merged_at = p_was_at and (x.pr_merged_at > j.finished_at) is not true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_pull(p_product_id uuid, p_seen jsonb)
 RETURNS public.pulls
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_pull public.pulls;
begin
  -- A clock that runs ahead would make everybody else's word an old one.
  insert into public.pulls as p (product_id, number, url, branch, head_sha, state, draft, mergeable, ci, review, observed_at)
  values (p_product_id, (p_seen ->> 'number')::integer, p_seen ->> 'url', p_seen ->> 'branch', p_seen ->> 'head_sha', p_seen ->> 'state',
    coalesce((p_seen ->> 'draft')::boolean, false), (p_seen ->> 'mergeable')::boolean, coalesce(p_seen -> 'ci' ->> 'state', 'none'),
    coalesce(p_seen ->> 'review', 'none'), least((p_seen ->> 'observed_at')::timestamptz, private.now()))
  on conflict on constraint pulls_one_url do update
  set number = excluded.number, branch = excluded.branch, head_sha = excluded.head_sha, state = excluded.state, draft = excluded.draft,
      mergeable = excluded.mergeable, ci = excluded.ci, review = excluded.review, observed_at = excluded.observed_at
  where p.state <> 'merged' and (excluded.state = 'merged' or p.observed_at <= excluded.observed_at)
  returning p.* into v_pull;
  return v_pull;
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid, p_worker_id uuid DEFAULT NULL::uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[], p_confined boolean DEFAULT true, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(select private.worker_products(p_user_id, p_product_id));
  v_waiting record;
  v_held integer;
  v_closed jsonb;
begin
  select count(*) filter (where not x.archived) as queued, count(*) filter (where x.archived) as archived,
    count(*) filter (where 'paused' = any (x.gates)) as paused,
    count(*) filter (where 'question' = any (x.gates)) as asked,
    count(*) filter (where 'not_before' = any (x.gates)) as delayed,
    count(*) filter (where 'not_before' = any (x.gates) and g.failure_class is distinct from 'rate_limited') as failed,
    count(*) filter (where 'order' = any (x.gates)) as in_order,
    count(*) filter (where 'review' = any (x.gates)) as in_review,
    count(*) filter (where 'needs_other_worker' = any (x.gates)) as to_verify,
    count(*) filter (where 'dependency' = any (x.gates) and 'order' <> all (x.gates)) as blocked,
    count(*) filter (where 'sandbox' = any (x.gates)) as unconfined,
    min(g.own_repo) filter (where 'repository' = any (x.gates)) as foreign_repo
  into v_waiting
  from private.job_gates g
  cross join lateral (select private.worker_gates(g, p_user_id, p_worker_id, p_confined, p_also_repos) as own) w
  cross join lateral (select 'archived' = any (g.gates) as archived,
    case when 'archived' = any (g.gates) then '{}' else g.gates || w.own end as gates) x
  where g.product_id = any (v_products) and 'conversation' <> all (w.own);
  select count(*) into v_held from public.agent_jobs j
  where j.product_id = any (v_products) and j.status in ('CLAIMED', 'RUNNING')
    and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('There are jobs in %s, where your workers are not allowed yet. Press "Allow my workers" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 and v_waiting.archived > 0 then
    return jsonb_build_object('code', 'archived', 'message', format('%s queued, all in archived products: %s', v_waiting.archived,
      'their work rests until an owner takes the product out of the archive.'));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_held > 0 then format('; %s held by workers', v_held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.unconfined > 0 then 'sandbox'
      when v_waiting.foreign_repo is not null then 'repository'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none available now: %s waiting for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed - v_waiting.failed,
      case when v_waiting.failed > 0 then format(', %s for another try', v_waiting.failed) else '' end,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_held,
      concat(case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that require a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' A task uses the repository %s, which this worker does not follow: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end)))
    || case when v_held + v_waiting.delayed + v_waiting.to_verify + v_waiting.blocked = 0
        and v_waiting.paused + v_waiting.asked + v_waiting.in_review > 0
      then jsonb_build_object('waits_for_person', true) else '{}' end
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_user_id, p_product_id)))
      else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.notify_review(p_task public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = p_task.story_id;
  perform private.queue_notices('review_needed', p_task.product_id, v_story.assignee_id, true,
    format('%s is ready for review', p_task.code), p_task.title,
    case when v_story.sprint_id is null then format('/products/%s/backlog', p_task.product_id)
      else format('/products/%s/sprints/%s', p_task.product_id, v_story.sprint_id) end,
    jsonb_build_object('task_id', p_task.id, 'task_code', p_task.code, 'story_id', v_story.id, 'story_code', v_story.code,
      'sprint_id', v_story.sprint_id, 'status', 'review'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.output_bytes(p_entry public.job_outputs)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 64 + octet_length(concat(p_entry.text, p_entry.title, p_entry.path));
$function$;

CREATE OR REPLACE FUNCTION private.own_fields(p_kind text, p_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,repo_url_by,external_id,created_at,updated_at,version,field_versions}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,is_template,template_id,external_id,external_url,origin,created_at,updated_at,version,field_versions}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,is_intake,created_at,updated_at,version,field_versions}'::text[])
  end;
$function$;

CREATE OR REPLACE FUNCTION private.own_run_branch(p_product public.products, p_task_ids uuid[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := private.stories_of_tasks(p_task_ids);
begin
  if cardinality(v_story_ids) = 1 then
    return private.story_branch(v_story_ids[1]);
  end if;
  return format('%s/%s/run-%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id),
    (select count(*) + 1 from public.sprint_runs r where r.product_id = p_product.id and r.sprint_id is null));
end;
$function$;

CREATE OR REPLACE FUNCTION private.pause_until(p_resets_at timestamp with time zone, p_attempt integer, p_run_id uuid)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  if p_resets_at >= v_now + interval '1 minute' then
    return least(p_resets_at, v_now + interval '31 days');
  end if;
  if exists (select from public.sprint_runs r where r.id = p_run_id and r.status = 'PAUSED') then
    return v_now;
  end if;
  return v_now + least(60, 2 ^ least(p_attempt - 1, 6)) * interval '1 minute';
end;
$function$;

CREATE OR REPLACE FUNCTION private.pbi_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run started; the job can still be claimed.', b.code), 'pbi_id', b.id)), '[]')
    from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
    where t.id = p_job.task_id and b.status = 'BLOCKED');
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_digest(p_story_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select s.title || s.description from public.stories s where s.id = p_story_id)
    || (select coalesce(string_agg(concat_ws(' ', c.text, c.state, c.grade), E'\n' order by c.place), '') from private.story_proof(p_story_id) c);
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_reason(p_job public.agent_jobs, p_pull public.pulls)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_link jsonb := case when p_pull.id is not null then jsonb_build_object('number', p_pull.number, 'url', p_pull.url) else '{}'::jsonb end;
  v_landing text;
begin
  if p_pull.ci in ('pending', 'failed') then
    return v_link || jsonb_build_object('code', 'ci', 'message', format('CI of pull request #%s %s.', p_pull.number,
      case p_pull.ci when 'pending' then 'has not finished' else 'failed' end));
  elsif p_pull.review = 'changes_requested' then
    return v_link || jsonb_build_object('code', 'review_outside',
      'message', format('Changes were requested in pull request #%s.', p_pull.number));
  end if;
  v_landing := case when p_job.merged_at is null then private.landing_words(p_job.product_id, p_job.branch) end;
  if v_landing is not null then
    return v_link || jsonb_build_object('code', 'merge', 'message', v_landing);
  elsif p_pull.id is not null then
    return v_link || jsonb_build_object('code', 'merge', 'message', format('Pull request #%s is waiting to be merged%s.', p_pull.number,
      case when p_pull.draft then '; it is still a draft until every criterion is proven' else '' end));
  elsif private.wants_pull(p_job) and (select p.pull_requests <> 'none' from public.products p where p.id = p_job.product_id) then
    return jsonb_build_object('code', 'merge', 'message', 'It has no pull request yet: a worker with --pr opens it, and tries again where the code host refused.');
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_said(p_seen jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('url', left(p_seen ->> 'url', 300), 'head_sha', p_seen -> 'head_sha', 'state', p_seen -> 'state', 'ci', p_seen -> 'ci' -> 'state',
    'review', p_seen -> 'review', 'mergeable', p_seen -> 'mergeable', 'comments', (
      select count(*) from jsonb_array_elements(coalesce(p_seen -> 'comments', '[]')) c where (c ->> 'trusted')::boolean));
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_title(p_job public.agent_jobs)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select case
      when coalesce(r.pr_strategy, p.pr_strategy) = 'STORY' and s.id is not null then s.code || ': ' || s.title
      when r.id is null then t.code || ': ' || t.title
      when n.id is null then 'Run of ' || private.run_subject(r)
      else n.code || ': ' || n.sprint_goal end
    from public.products p
    left join public.sprint_runs r on r.id = p_job.sprint_run_id
    left join public.sprints n on n.id = r.sprint_id
    left join public.tasks t on t.id = p_job.task_id
    left join public.stories s on s.id = t.story_id
    where p.id = p_job.product_id);
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
      ('provider_sign_in', 60, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      ('oauth_register', 20, 600),
      ('oauth_token', 120, 60),
      ('hook_address', 3000, 60),
      ('open_door', 600, 60),
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
      ('file', 60, 60),
      ('file_read', 600, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('worker_word', 600, 3600),
      ('pulls_observed', 120, 60),
      ('issues_observed', 120, 60),
      ('issue_notes', 120, 60),
      ('landings', 300, 60),
      ('idempotency_key', 600, 60),
      -- per hook address: what is sent, and what is new
      ('hook', 3000, 60),
      ('hook_item', 300, 3600),
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

CREATE OR REPLACE FUNCTION private.refuse_former_member(p_user_id uuid, p_arguments jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from jsonb_each_text(p_arguments) a
    cross join lateral (
      select case a.key
        when 'p_product_id' then (select p.id from public.products p where p.id = a.value::uuid)
        when 'p_pbi_id' then (select b.product_id from public.pbis b where b.id = a.value::uuid)
        when 'p_sprint_id' then (select n.product_id from public.sprints n where n.id = a.value::uuid)
        when 'p_story_id' then (select s.product_id from public.stories s where s.id = a.value::uuid)
        when 'p_task_id' then (select t.product_id from public.tasks t where t.id = a.value::uuid)
        when 'p_job_id' then (select j.product_id from public.agent_jobs j where j.id = a.value::uuid)
      end as product_id) x
    where x.product_id is not null
      and not exists (select from public.product_members m where m.product_id = x.product_id and m.user_id = p_user_id))
  then
    raise exception using errcode = 'PT403',
      message = 'You have no access to this product. Ask its owner to add you as a member.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reject_after_run(p_job public.agent_jobs)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  perform private.reopen_tasks(p_job, private.stories_to_finish(p_job));
  update public.tasks t set status = 'TO_DO'
  where t.status = 'IN_PROGRESS' and (t.id = p_job.task_id or t.id in (
    select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status = 'PENDING'));
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'Changes were requested after the run had ended. The next run makes them.'
  where j.id = p_job.id
  returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reject_review(p_job_id uuid)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_busy boolean;
begin
  perform private.require_review(v_job);
  if not private.is_run_unfinished(v_job.sprint_run_id) then
    return private.reject_after_run(v_job);
  end if;
  v_busy := private.is_lane_held(v_job.sprint_run_id, v_job.lane_id);
  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = v_job.sprint_run_id and j.lane_id = v_job.lane_id and j.id <> v_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set phase = 'implement', claim_rank = 0, in_turn = not v_busy, verify_result = null
  where j.id = p_job_id
  returning j.* into v_job;
  perform private.reopen_tasks(v_job, private.stories_to_finish(v_job));
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.release_noted(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := string_to_array(nullif(current_setting('backloom.waiting', true), ''), ',');
begin
  if v_waiting is null then
    return;
  end if;
  perform set_config('backloom.waiting', '', true), private.lock_part('run', p_sprint_run_id);
  perform private.recount_blockers(v_waiting);
  perform private.note_released(v_waiting);
end;
$function$;

CREATE OR REPLACE FUNCTION private.reopen_job(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_is_held boolean := private.is_lane_held(p_job.sprint_run_id, p_job.lane_id);
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(409, 'This batch is over. Create a task for further changes.');
  end if;
  if p_job.status not in ('DONE', 'SKIPPED') then
    return;
  end if;
  if not private.is_run_unfinished(p_job.sprint_run_id) then
    update public.tasks t set status = 'TO_DO' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.id <> p_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'implement', claim_rank = 0, in_turn = not v_is_held, verify_result = null,
      retry_count = 0, failure_class = null, failure_reason = null, parked_question_id = null, not_before = null
  where j.id = p_job.id;
  update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
end;
$function$;

CREATE OR REPLACE FUNCTION private.requeue_expired_leases(p_product_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_count integer := 0;
begin
  for v_job in
    select j.* from public.agent_jobs j
    where j.product_id = p_product_id and j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
    order by j.lease_until, j.id
    for update skip locked
  loop
    if private.requeue_lost_job(v_job, format('The lease of attempt %s expired at %s without a report from worker %s.',
        v_job.attempt, private.time_text(v_job.lease_until),
        coalesce((select w.name from public.agent_workers w where w.id = v_job.worker_id), 'unknown'))) is not null then
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_file_room(p_product_id uuid, p_bytes integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_taken record;
begin
  perform pg_advisory_xact_lock(hashtextextended('files:' || p.owner_id::text, 0)) from public.products p where p.id = p_product_id;
  select coalesce(sum(f.size), 0) as by_owner, coalesce(sum(f.size) filter (where f.product_id = p_product_id), 0) as of_product,
    coalesce(sum(f.size) filter (where f.product_id = p_product_id and f.created_by = auth.uid()), 0) as of_caller
  into v_taken
  from public.products o
  join public.products p on p.owner_id = o.owner_id
  join public.files f on f.product_id = p.id
  where o.id = p_product_id;
  if v_taken.of_product + p_bytes > 1073741824 then
    perform private.refuse(413, 'The files of this product take 1 GB, which is the limit. Delete some on its page Files first.');
  end if;
  if v_taken.by_owner + p_bytes > 5368709120 then
    perform private.refuse(413, 'The files of all products of this owner take 5 GB, which is the limit for an account. Delete some on the pages Files of these products first.');
  end if;
  if v_taken.of_caller + p_bytes > 52428800 and exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'VIEWER')
  then
    perform private.refuse(413, 'Your files in this product take 50 MB, which is the limit for a viewer. Delete some of them first.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_keys_left(p_user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_max integer;
  v_seconds integer;
  v_since timestamptz;
begin
  select l.p_max, l.p_seconds into v_max, v_seconds from private.rate_limit('idempotency_key') l;
  v_since := private.now() - make_interval(secs => v_seconds);
  if (select count(*) from (
    select from public.idempotency_keys k
    where k.user_id = p_user_id and k.created_at > v_since
    limit v_max + 1) k) <= v_max then
    return;
  end if;
  raise exception using errcode = 'PT429',
    message = format('Too many idempotency keys (%s in %s seconds). Try again in a minute.', v_max, v_seconds),
    detail = json_build_object('retry_after', v_seconds)::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_fields(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now jsonb;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  if p_change.kind = 'job' then
    return private.restore_unmerged(p_change);
  end if;

  case p_change.kind
    when 'task' then
      select t.* into v_task from public.tasks t where t.id = p_change.thing_id;
      v_now := private.own_fields('task', to_jsonb(v_task));
    when 'story' then
      select s.* into v_story from public.stories s where s.id = p_change.thing_id;
      v_now := private.own_fields('story', to_jsonb(v_story));
    else
      select b.* into v_pbi from public.pbis b where b.id = p_change.thing_id;
      v_now := private.own_fields('pbi', to_jsonb(v_pbi));
  end case;
  if v_now is null or v_now ->> 'code' is null then
    return 'was deleted since';
  end if;
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key)
    -- What was accepted and has joined a sprint or a run since is no longer a suggestion.
    or p_change.kind = 'story' and p_change.before ->> 'in_triage' = 'true' and private.is_taken_up(v_story) then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      perform private.set_fields('public.tasks', p_change.thing_id, p_change.before);
    when 'story' then
      perform private.set_fields('public.stories', p_change.thing_id, p_change.before);
    else
      -- READY lifts a block; what the stories call for is put.
      perform private.set_fields('public.pbis', p_change.thing_id, p_change.before || jsonb_build_object(
        'status', case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY' end));
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_unmerged(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
  v_begun text;
begin
  select w.* into v_job from private.works w where w.id = p_change.thing_id;
  if not found then
    return 'was deleted since';
  end if;
  perform private.require_product_owner(v_job.product_id);
  if v_job.merged_at is distinct from (p_change.after ->> 'merged_at')::timestamptz then
    return 'was changed since';
  end if;

  select string_agg(distinct private.code_of('job', a.id), ', ') into v_begun
  from public.agent_jobs a
  where a.product_id = v_job.product_id and a.claimed_at >= p_change.changed_at
    and private.tasks_of_job(a) && private.waiting_for(private.tasks_of_work(v_job.kind, v_job.task_id, v_job.sprint_run_id));
  if v_begun is not null then
    return format('unblocked work that an agent has started since (%s)', v_begun);
  end if;

  perform private.set_merged(array[v_job.id], null);
  perform private.audit(auth.uid(), auth.uid(), 'job.merge_taken_back', jsonb_build_object('product_id', v_job.product_id,
    'job_id', v_job.id, 'code', p_change.code, 'head_sha', v_job.head_sha));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_batch_run(p_run public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, p_run.plan_first, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED') and e.task_id = any (private.tasks_to_start(array[e.task_id]));
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.return_for_pull(p_pull public.pulls, p_job public.agent_jobs, p_faults jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_fault jsonb;
  v_asks boolean;
  v_words text;
begin
  if p_faults = '[]' then
    return;
  end if;
  select string_agg(f ->> 'text', E'\n\n') into v_words from jsonb_array_elements(p_faults) f;
  v_asks := exists (
    select from public.pull_reactions k
    join public.agent_jobs j on j.id = k.job_id
    where j.task_id = p_job.task_id and k.decision = 'returned' and k.kind in (select f ->> 'kind' from jsonb_array_elements(p_faults) f)
    group by k.kind having count(distinct k.head_sha) >= 2);
  for v_fault in select f from jsonb_array_elements(p_faults) f loop
    perform private.is_first(p_pull, v_fault ->> 'kind', v_fault ->> 'id', p_job.id, case when v_asks then 'asked' else 'returned' end);
    if v_fault ->> 'kind' = 'conflict' and p_job.sprint_run_id is not null then
      -- The worker begins the merge; what the main branch is at then, and which files, it sees in git.
      perform private.note_conflict(p_job, null, jsonb_build_object('kind', 'base', 'ours_sha', p_pull.head_sha, 'theirs_sha', p_pull.head_sha,
        'files', '[]'::jsonb), 'noted');
    end if;
  end loop;

  perform private.return_work(p_job, v_words, format('Pull request #%s', p_pull.number), case when v_asks then format(
    'Pull request #%s has sent this task back twice, and it still is not right (%s). How should it continue?', p_pull.number,
    (select string_agg(distinct replace(f ->> 'kind', '_', ' '), ', ') from jsonb_array_elements(p_faults) f)) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_marks(p_job public.agent_jobs, p_attempt integer, p_files jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_own jsonb := (select p.review_marks from public.products p where p.id = p_job.product_id);
  v_plan text := coalesce(p_job.plan_snapshot, '');
  v_lines bigint;
  v_tests boolean;
  v_code boolean;
  v_marks text[];
begin
  select coalesce(sum((f ->> 'additions')::bigint + (f ->> 'deletions')::bigint), 0),
    coalesce(bool_or(private.is_test_path(f ->> 'path') and f ->> 'status' <> 'deleted'), false),
    coalesce(bool_or(not private.is_test_path(f ->> 'path') and f ->> 'path' !~* '\.(md|mdx|txt|rst|adoc)$'), false)
  into v_lines, v_tests, v_code
  from jsonb_array_elements(p_files) f;

  select array_agg(x.mark order by x.place) into v_marks
  from (values
    (1, 'no_test_changed', v_code and not v_tests),
    (2, 'migration', private.touches(p_files, v_own, 'migration')),
    (3, 'dependencies', private.touches(p_files, v_own, 'dependencies')),
    (4, 'ci', private.touches(p_files, v_own, 'ci')),
    (5, 'secrets_or_auth', private.touches(p_files, v_own, 'secrets_or_auth') or private.adds_secret(p_files)),
    (6, 'deleted_tests', private.deletes_tests(p_files)),
    (7, 'large', v_lines > 400),
    (8, 'outside_plan', v_plan ~ '[[:alnum:]_-]+\.[a-z]{1,5}\M' and exists (
      select from jsonb_array_elements(p_files) f
      where strpos(v_plan, regexp_replace(f ->> 'path', '^.*/', '')) = 0)),
    (9, 'first_time', exists (
      select from jsonb_array_elements(p_files) f
      where not exists (
        select from public.touched_paths x
        where x.product_id = p_job.product_id and x.path = f ->> 'path' and (x.job_id, x.attempt) <> (p_job.id, p_attempt))))
  ) x (place, mark, holds)
  where x.holds;
  return coalesce(v_marks, '{}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if (select p.done_requires = 'ci' from public.products p where p.id = p_job.product_id) then
    return jsonb_build_array(jsonb_build_object('code', 'ci', 'message', coalesce((
        select format('The work is done and waiting for CI of pull request #%s.', p.number) from public.pulls p
        where p.product_id = p_job.product_id and p.branch = p_job.branch and p.state = 'open' order by p.number desc limit 1),
        'The work is done and waiting for CI, but no pull request of its branch is known. Start a worker with --pr, or approve the work yourself.'),
      'task_id', p_job.task_id));
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'review',
    'message', 'The work is done and waiting for a person to review it.', 'task_id', p_job.task_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_blockers(p_sprint public.sprints, p_product public.products, p_task_ids uuid[], p_story_ids uuid[], p_plan_first boolean, p_use_description boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return (
    with scope as materialized (select * from private.tasks_in_order(p_task_ids))
    select coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'message', b.message,
      'task_id', b.task_id, 'task_code', b.task_code, 'story_id', b.story_id, 'story_code', b.story_code,
      'pbi_id', b.pbi_id, 'pbi_code', b.pbi_code, 'question_id', b.question_id, 'sprint_run_id', b.run_id)
      order by b.rank, b.place), '[]')
    from (
      select 1 as rank, 0 as place, 'sprint_not_active' as type,
        format('Sprint %s is %s. Start the sprint first.', p_sprint.code, lower(p_sprint.status::text)) as message,
        null::uuid as task_id, null as task_code, null::uuid as story_id, null as story_code,
        null::uuid as pbi_id, null as pbi_code, null::uuid as question_id, null::uuid as run_id
      where p_sprint.status <> 'ACTIVE'
      union all
      select 2, 0, case when r.are_open then 'only_reviews' else 'no_tasks' end,
        case when r.are_open then 'There is nothing to start: what is left waits for a review.'
          when p_sprint.id is null then 'There are no unfinished tasks.'
          else format('Sprint %s has no unfinished tasks.', p_sprint.code) end,
        null, null, null, null, null, null, null, null
      from (select exists (select from public.tasks t where t.story_id = any (p_story_ids) and t.status = 'REVIEW') as are_open) r
      where not exists (select from scope)
      union all
      select 3, 0, 'run_unfinished',
        format('A run of sprint %s is %s. Wait for it, resume it or cancel it.', p_sprint.code, lower(r.status::text)),
        null, null, null, null, null, null, null, r.id
      from public.sprint_runs r
      where r.sprint_id = p_sprint.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      union all
      select 3, sc.place, case when p_sprint.id is null then 'run_unfinished' else 'task_in_run' end,
        format('Task %s is in a run of %s that is %s. Wait for that run, resume it or cancel it.', sc.task_code, h.subject, h.status),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, h.run_id
      from private.held_by_runs(p_product.id, p_sprint.id is not null) h
      join scope sc on sc.task_id = h.task_id
      union all
      select 3, sc.place, case t.status when 'DONE' then 'task_done' else 'task_in_review' end,
        format(case t.status when 'DONE' then 'Task %s is done. Open it again, or leave it out.'
          else 'Task %s waits for a review. Review it, or leave it out.' end, sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.status from public.tasks k where k.id = sc.task_id offset 0) t
      where sc.task_id <> all (private.tasks_to_start(array[sc.task_id]))
      union all
      select 4, sc.place, 'task_no_plan', format('Task %s has no implementation plan.', sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      -- Each by its key: how long the list is cannot be foreseen, and a plan for many would read all tasks of all products.
      cross join lateral (
        select k.implementation_plan, k.description, k.status from public.tasks k where k.id = sc.task_id offset 0) t
      where not p_plan_first and coalesce(t.implementation_plan, '') !~ '\S' and t.status not in ('DONE', 'REVIEW')
        and not (p_use_description and t.description ~ '\S')
      union all
      select 5, row_number() over (order by q.created_at, q.id)::integer, 'open_question',
        case when q.reader_id is null or q.reader_id = auth.uid() then format('Story %s has an open question: %s', s.code, left(q.question, 200))
          else format('Story %s waits for a permission that only %s can give.', s.code, private.username(q.reader_id)) end,
        q.task_id, t.code, s.id, s.code, s.pbi_id, null, q.id, null
      from public.stories s
      join public.agent_questions q on q.story_id = s.id
      left join public.tasks t on t.id = q.task_id
      where s.id = any (p_story_ids) and s.status <> 'DONE' and q.status = 'OPEN' and q.expires_at > v_now
        -- What is asked about a task that a run of its own leaves alone says nothing about the others.
        and (p_sprint.id is not null or q.task_id is null or q.task_id = any (p_task_ids))
      union all
      select distinct on (b.id) case b.status when 'BLOCKED' then 6 else 7 end, 0,
        case b.status when 'BLOCKED' then 'pbi_blocked' else 'pbi_failed' end,
        format('PBI %s is %s.', b.code, lower(b.status::text)),
        null::uuid, null, s.id, s.code, b.id, b.code, null::uuid, null::uuid
      from public.stories s
      cross join lateral (select k.id, k.code, k.status from public.pbis k where k.id = s.pbi_id offset 0) b
      where s.id = any (p_story_ids) and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run only works in the product''s repository.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.repo_url from public.tasks k where k.id = sc.task_id offset 0) t
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  ) || private.dependency_blockers(p_sprint.id, p_task_ids, p_story_ids)
    || private.deadlock_blockers(p_product, p_task_ids, p_story_ids);
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_branch(p_sprint public.sprints, p_product public.products)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format('%s/%s/%s-run-%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id), p_sprint.code,
    (select count(*) + 1 from public.sprint_runs r where r.sprint_id = p_sprint.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_json(p_run public.sprint_runs, p_with_jobs boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_totals jsonb;
  v_run jsonb;
  v_costs jsonb := private.costs_of(p_run.product_id, p_run.id);
begin
  select jsonb_build_object(
    'jobs_total', count(*),
    'counts', jsonb_build_object(
      'queued', count(*) filter (where j.status = 'QUEUED'),
      'claimed', count(*) filter (where j.status = 'CLAIMED'),
      'running', count(*) filter (where j.status = 'RUNNING'),
      'done', count(*) filter (where j.status = 'DONE'),
      'failed', count(*) filter (where j.status = 'FAILED'),
      'cancelled', count(*) filter (where j.status = 'CANCELLED'),
      'skipped', count(*) filter (where j.status = 'SKIPPED')),
    'input_tokens', sum(j.input_tokens),
    'output_tokens', sum(j.output_tokens),
    'cache_read_tokens', sum(j.cache_read_tokens),
    'cache_write_tokens', sum(j.cache_write_tokens),
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end)
  into v_totals
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id;

  v_run := to_jsonb(p_run) || v_totals || jsonb_build_object(
    'status', lower(p_run.status::text),
    'sprint_code', (select s.code from public.sprints s where s.id = p_run.sprint_id),
    'subject', private.run_subject(p_run),
    'waits_for', private.run_waits(p_run),
    'started_by_name', private.username(p_run.started_by));
  if not p_with_jobs then
    return v_run;
  end if;

  return v_run || jsonb_build_object(
    'jobs', (
      select coalesce(jsonb_agg(private.job_json(j) order by j.position, j.id), '[]')
      from public.agent_jobs j where j.sprint_run_id = p_run.id),
    'executions', (
      select coalesce(jsonb_agg(private.execution_json(e) order by e.position), '[]')
      from public.task_executions e where e.sprint_run_id = p_run.id),
    'overlaps', private.run_overlaps(p_run),
    'pause_question', (
      select private.question_json(q) from public.agent_questions q where q.id = p_run.pause_question_id
        and (q.reader_id is null or q.reader_id = auth.uid())));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_waits(p_run public.sprint_runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v record;
begin
  if p_run.status not in ('QUEUED', 'RUNNING') then
    return null;
  end if;
  select count(*) filter (where j.phase = 'review' and p.done_requires <> 'ci') as reviews,
    count(*) filter (where q.status = 'OPEN') as answers,
    count(*) filter (where j.status <> 'QUEUED' or not g.gates && '{review,question,dependency,order}') as moving
  into v
  from public.agent_jobs j
  join public.products p on p.id = j.product_id
  left join private.job_gates g on g.id = j.id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  return case when v.moving = 0 and v.reviews + v.answers > 0 then jsonb_build_object('reviews', v.reviews, 'answers', v.answers) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sandbox_advice()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select 'Start a worker on Linux with bubblewrap (apt-get install bubblewrap).';
$function$;

CREATE OR REPLACE FUNCTION private.scoped_words(p_scope uuid, p_code text, p_title text, p_description text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE COST 100000
 SET search_path TO ''
AS $function$
declare
  v_scope text := private.scope_of_words(p_scope);
begin
  return array_to_tsvector(array(
    select v_scope || left(w, 300)
    from unnest(tsvector_to_array(to_tsvector('simple', p_code || ' ' || p_title || ' ' || left(p_description, 20000)))) w));
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_fields(p_table regclass, p_id uuid, p_fields jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_columns text := (
    select string_agg(format('%1$I = n.%1$I', a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and p_fields ? a.attname
      and not (a.attnotnull and p_fields -> a.attname = 'null')
      and has_column_privilege(a.attrelid, a.attnum, 'update'));
begin
  if v_columns is not null then
    execute format('update %1$s t set %2$s from jsonb_populate_record(null::%1$s, $1) n where t.id = $2', p_table, v_columns) using p_fields, p_id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_merged(p_job_ids uuid[], p_merged_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j set merged_at = p_merged_at where j.id = any (p_job_ids);
  update public.past_jobs j set merged_at = p_merged_at where j.id = any (p_job_ids);
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_messages(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_new.status in ('DONE', 'SKIPPED', 'QUEUED') then
    update public.agent_messages m
    set state = 'acted_on', attempt = coalesce(m.attempt, p_new.attempt), seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = p_new.id and (m.state = 'seen' or (m.state = 'sent' and p_old.phase = 'implement' and m.sent_at <= (
      select a.started_at from public.job_attempts a where a.job_id = p_new.id and a.attempt = p_new.attempt)));
  end if;
  if p_new.status in ('DONE', 'SKIPPED', 'FAILED', 'CANCELLED') then
    update public.agent_messages m
    set state = 'undelivered', reason = format('The job %s before its agent saw this.',
      case p_new.status when 'FAILED' then 'failed' when 'CANCELLED' then 'was cancelled' else 'was done' end)
    where m.job_id = p_new.id and m.state = 'sent';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_task_waiting(p_old public.tasks, p_new public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
begin
  -- A batch counts for its tasks, so one in a batch is counted anew itself.
  v_task_ids := array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = p_new.id
    union all
    (select e.task_id from public.task_executions e where e.task_id = p_new.id limit 1)
    union all
    select e.task_id from public.story_dependencies d
    join public.tasks t on t.story_id = d.blocked_id
    join public.task_executions e on e.task_id = t.id and e.status in ('PENDING', 'RUNNING')
    where d.blocker_id = p_new.story_id);
  if p_new.story_id <> p_old.story_id then
    perform private.refuse_moved_cycle(p_new.id);
    v_task_ids := v_task_ids || p_new.id || private.waiting_for('{}', array[p_old.story_id, p_new.story_id]);
  end if;
  if v_task_ids <> '{}' then
    perform private.settle_waiting(v_task_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sprint_task_ids(p_sprint_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.tasks_to_start(array(
    select t.id
    from public.stories s
    -- Story by story: a plan for many stories would read all tasks of all products.
    cross join lateral (select k.id from public.tasks k where k.story_id = s.id offset 0) t
    where s.sprint_id = p_sprint_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_failed_run(p_task public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(p_task.product_id);
  v_run := private.active_run_of_task(p_task.id);
  if v_run.id is null then
    return;
  end if;

  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where j.sprint_run_id = v_run.id and j.task_id = p_task.id and j.status = 'FAILED' order by j.position limit 1), 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = p_task.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id order by j.position limit 1;

  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', p_task.code),
    jsonb_build_object('task_id', p_task.id, 'task_code', p_task.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_branch(p_story_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
  v_part text;
  v_base text;
  v_newest record;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  v_part := private.branch_part(v_story.code, v_story.id);
  if lower(v_part) in ('kept', 'work')
    or exists (select from public.products p where lower(private.branch_part(p.code, p.id)) = lower(v_part))
    or exists (
      select from public.products p
      join public.products o on o.owner_id = p.owner_id and o.repo_url = p.repo_url and o.repo_url <> '' and o.id <> p.id
      join public.stories s on s.product_id = o.id and s.code = v_story.code
      join public.tasks t on t.story_id = s.id
      cross join lateral (
        select j.sprint_run_id from public.agent_jobs j where j.task_id = t.id
        union all
        select e.sprint_run_id from public.task_executions e where e.task_id = t.id) x
      join public.sprint_runs r on r.id = x.sprint_run_id and r.sprint_id is null
      where p.id = v_story.product_id)
  then
    v_part := v_part || '-' || left(v_story.id::text, 8);
  end if;
  v_base := (select p.branch_prefix from public.products p where p.id = v_story.product_id) || '/' || v_part;

  select u.branch, u.at_work, u.has_work, coalesce(nullif(substring(u.branch from length(v_base) + 2), '')::integer, 1) as number into v_newest
  from (
    select x.branch, bool_or(x.at_work) as at_work, bool_or(x.has_work) as has_work
    from public.tasks t
    cross join lateral (
      select a.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED') as at_work, a.pushed_at is not null or a.status = 'DONE' as has_work
      from private.works a join public.sprint_runs r on r.id = a.sprint_run_id
      where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and r.sprint_id is null
      union all
      select r.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED'), e.status = 'DONE'
      from public.task_executions e join public.sprint_runs r on r.id = e.sprint_run_id
      where e.task_id = t.id and r.sprint_id is null
    ) x
    where t.story_id = p_story_id and starts_with(x.branch, v_base) and substr(x.branch, length(v_base) + 1) ~ '^(-[1-9][0-9]{0,5})?$'
    group by x.branch
  ) u
  order by number desc
  limit 1;
  if v_newest.branch is null then
    return v_base;
  end if;
  if not v_newest.at_work and (not v_newest.has_work
    or exists (select from private.unlanded_work(array[p_story_id]) w where w.branch = v_newest.branch))
  then
    return v_newest.branch;
  end if;
  return v_base || '-' || v_newest.number + 1;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_idempotency_key(p_user_id uuid, p_key text, p_fingerprint bytea)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_timeout text := current_setting('lock_timeout');
  v_is_new boolean;
  v_kept public.idempotency_keys;
begin
  begin
    -- Shorter than any other lock is waited for: the call that holds the key may itself be waiting for one.
    perform set_config('lock_timeout', '1500ms', true);
    insert into public.idempotency_keys as k (user_id, key, fingerprint, created_at)
    values (p_user_id, p_key, p_fingerprint, private.now())
    on conflict (user_id, key) do update
    set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
    where k.created_at <= private.now() - private.kept_call_lifetime()
    returning true into v_is_new;
  exception when lock_not_available then
    raise exception using errcode = 'PT409',
      message = 'The same request is still running. Send it again in a second to get its answer.',
      detail = json_build_object('retry_after', 1)::text;
  end;
  perform set_config('lock_timeout', v_timeout, true);
  if v_is_new then
    perform private.require_keys_left(p_user_id);
    return null;
  end if;

  select k.* into v_kept from public.idempotency_keys k where k.user_id = p_user_id and k.key = p_key;
  if v_kept.fingerprint <> p_fingerprint then
    raise exception using errcode = 'PT422',
      message = 'This idempotency key was used for another request. Send the same request again, or take a new key for a new one.',
      detail = json_build_object('issues', json_build_array(
        json_build_object('path', 'idempotency_key', 'message', 'Was used for another request.')))::text;
  end if;
  return v_kept.answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_job(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[], p_confinement public.confinement, p_also_repos jsonb)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_worker_id, confinement = p_confinement, claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      parked_question_id = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  where x.id = (
    select j.id
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and private.worker_gates(j.job, p_user_id, p_worker_id, p_confinement <> 'none', p_also_repos) = '{}'
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  returning x.* into v_job;
  -- What an earlier attempt found of a task that it did not finish says nothing about this one.
  if v_job.kind = 'SPRINT_IMPLEMENTATION' then
    update public.task_executions e
    set verify_result = null
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and e.verify_result is not null;
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tasks_of_job(p_job public.agent_jobs)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.tasks_of_work(p_job.kind, p_job.task_id, p_job.sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tasks_of_work(p_kind public.agent_job_kind, p_task_id uuid, p_sprint_run_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_kind = 'SPRINT_IMPLEMENTATION' then
    return array(select e.task_id from public.task_executions e where e.sprint_run_id = p_sprint_run_id);
  end if;
  return array_remove(array[p_task_id], null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tasks_to_start(p_task_ids uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select t.id
    from unnest(p_task_ids) i (id)
    -- Task by task: a plan for many would read all tasks of all products.
    cross join lateral (select k.id, k.status from public.tasks k where k.id = i.id offset 0) t
    where t.status not in ('DONE', 'REVIEW'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tell_triage(p_product_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit_to_members(p.id, jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p.id, 'product_id', p.id))
  from unnest(p_product_ids) as p (id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__follow()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' then
    perform private.advance_branch_queue(old);
  elsif tg_op = 'INSERT' then
    perform private.advance_task(new);
  else
    perform private.after_job_change(old, new);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__settle_merged()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.settle_waiting(nullif(private.waiting_for(private.tasks_of_work(old.kind, old.task_id, old.sprint_run_id)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_questions__notices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_subject text := coalesce((select t.code from public.tasks t where t.id = new.task_id),
    (select s.code from public.stories s where s.id = new.story_id),
    (select i.code from public.ideas i where i.id = new.idea_id));
begin
  if tg_op = 'INSERT' then
    perform private.queue_notices('question_opened', new.product_id, new.assignee_id, true,
      format(case new.kind when 'permission' then 'An agent asks your permission: %s' else 'A question about %s' end, v_subject), concat_ws(': ', new.reach, new.question), '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'ANSWERED' then
    perform private.queue_notices('question_answered', new.product_id, null, false,
      format('Answered: %s', v_subject), new.answer, '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'EXPIRED' then
    perform private.queue_notices('question_expired', new.product_id, coalesce(new.escalate_to, new.assignee_id), true,
      format('Nobody answered in time: %s', v_subject), new.question, '/inbox?show=questions&question=' || new.id, private.question_json(new), new.reader_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__limit_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_is_over boolean;
begin
  execute format(
    'select exists (select from (select distinct %1$I as scope from added) a
       where exists (select from %2$I.%3$I r where r.%1$I = a.scope offset %4$s))',
    tg_argv[0], tg_table_schema, tg_table_name, tg_argv[1]) into v_is_over;
  if v_is_over then
    perform private.refuse(409, format('There are %s %s', to_char(tg_argv[1]::integer, 'FM999,999'), tg_argv[2]));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__raise_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_old jsonb := to_jsonb(old);
  v_new jsonb := to_jsonb(new);
  v_changed jsonb;
begin
  select jsonb_object_agg(case f when 'label_ids' then 'labels' else f end, jsonb_build_array(old.version + 1, auth.uid(),
    to_char(private.now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  into v_changed
  from jsonb_object_keys(v_new) f
  where v_new -> f is distinct from v_old -> f and f <> all ('{id,product_id,sort_order,version,field_versions,created_at,updated_at}' || tg_argv[0]::text[]);
  if v_changed is not null then
    new.version := old.version + 1;
    new.field_versions := old.field_versions || v_changed;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__follow()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' then
    perform private.after_task_change(old, new);
  elsif tg_op = 'INSERT' then
    perform private.derive_stories(array(select distinct n.story_id from new_tasks n));
    insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status)
    select n.id, n.story_id, n.product_id, s.sprint_id, n.status
    from new_tasks n
    join public.stories s on s.id = n.story_id;
    insert into public.tasks_in_review (task_id, product_id)
    select n.id, n.product_id from new_tasks n where n.status = 'REVIEW';
    perform private.settle_waiting(nullif(private.waiting_for('{}', array(select distinct n.story_id from new_tasks n)), '{}'));
  else
    perform private.derive_stories(array(select distinct o.story_id from old_tasks o));
    perform private.settle_waiting(nullif(private.waiting_for('{}', array(select distinct o.story_id from old_tasks o)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.time_text(p_time timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
end;
$function$;

CREATE OR REPLACE FUNCTION private.touches(p_files jsonb, p_own jsonb, p_mark text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_default text := case p_mark
    when 'migration' then '(^|/)(migrations?|migrate)/|\.sql$'
    when 'dependencies' then '(^|/)(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|requirements[^/]*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|pipfile(\.lock)?|go\.(mod|sum)|cargo\.(toml|lock)|gemfile(\.lock)?|composer\.(json|lock)|pom\.xml|[^/]*\.gradle(\.kts)?|[^/]*\.csproj)$'
    when 'ci' then '^(\.github/(workflows|actions)|\.forgejo|\.gitea|\.circleci|\.buildkite|\.ci)/|^(\.gitlab-ci\.yml|jenkinsfile|\.travis\.yml|azure-pipelines\.yml)$'
    else '(^|/)\.env|auth|login|passw|secret|credential|permission|session|token|crypt|security|oauth|\.(pem|key|p12)$'
  end;
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where case when p_own ? p_mark then exists (
        select from jsonb_array_elements_text(p_own -> p_mark) g where private.fits_pattern(f ->> 'path', g))
      else f ->> 'path' ~* v_default end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.unlanded_work(p_story_ids uuid[], p_except_run_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(story_id uuid, story_code text, task_id uuid, task_code text, job_id uuid, judged boolean, branch text, base_sha text, head_sha text, commits integer, repo_url text, finished_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    with work as materialized (
      select s.id as story_id, s.code as story_code, t.id as task_id, t.code as task_code, w.*, coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url,
        w.merged_at is not null or coalesce(b.pr_merged_at >= w.finished_at, false) as landed
      from unnest(p_story_ids) k (id)
      join public.stories s on s.id = k.id
      join public.products p on p.id = s.product_id
      join public.pbis b on b.id = s.pbi_id
      cross join lateral (select x.id, x.code, x.repo_url from public.tasks x where x.story_id = s.id offset 0) t
      cross join lateral (
        select a.id as job_id, a.status = 'DONE' as judged, a.branch, a.base_sha, a.head_sha, a.commits, a.merged_at,
          coalesce(a.pushed_at, a.ended_at) as pushed_at, a.ended_at as finished_at
        from private.works a
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.sprint_run_id is distinct from p_except_run_id
          and a.ended_at is not null and a.head_sha is distinct from a.base_sha and (a.was_handed_in or a.pushed_at is not null)
        union all
        select a.id, true, a.branch, null, case a.status when 'DONE' then a.head_sha else e.head_sha end, a.commits, a.merged_at,
          e.finished_at, a.ended_at
        from (
          select x.* from public.task_executions x
          where x.task_id = t.id and x.status = 'DONE' and x.sprint_run_id is distinct from p_except_run_id offset 0) e
        cross join lateral (
          select j.* from private.works j
          where j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.ended_at is not null offset 0) a
      ) w
      where w.head_sha is not null and w.branch is not null
    ), standing as (
      select w.*
      from work w
      where not w.landed
        and not exists (select from work l where l.landed and l.story_id = w.story_id and l.repo_url = w.repo_url and l.finished_at >= w.finished_at)
        and not exists (select from public.fresh_starts f where f.story_id = w.story_id and f.created_at >= w.finished_at)
    ), heads as (
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.pushed_at desc, h.finished_at desc, h.task_code desc)
      union
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.finished_at desc, h.pushed_at desc, h.task_code desc)
    )
    select h.story_id, h.story_code, h.task_id, h.task_code, h.job_id, h.judged, h.branch, h.base_sha, h.head_sha,
      h.commits, h.repo_url, h.finished_at
    from heads h;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_works(p_kind text, p_blocker_id uuid)
 RETURNS TABLE(job_id uuid, task_code text, branch text, head_sha text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_job private.works;
begin
  for v_task in
    select t.* from public.tasks t where p_kind = 'task' and t.id = p_blocker_id
    union all
    select t.* from public.tasks t where p_kind = 'story' and t.story_id = p_blocker_id
  loop
    v_job := private.unmerged_work(v_task.id);
    continue when v_job.id is null;
    return query select v_job.id, v_task.code, v_job.branch, v_job.head_sha;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiting_review_json(p_job_id uuid, p_since timestamp with time zone, p_tasks integer, p_jobs integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('job_id', j.id, 'attempt', j.attempt, 'head_sha', j.head_sha,
      'product', jsonb_build_object('id', p.id, 'code', p.code, 'name', p.name),
      'story', jsonb_build_object('id', s.id, 'code', s.code, 'title', s.title),
      'task', jsonb_build_object('id', t.id, 'code', t.code, 'title', t.title),
      'waiting_since', p_since, 'frees', jsonb_build_object('tasks', p_tasks, 'jobs', p_jobs),
      'size', jsonb_build_object('files', coalesce(jsonb_array_length(d.files), 0),
        'additions', coalesce(d.additions, 0), 'deletions', coalesce(d.deletions, 0)),
      'criteria', (
        select jsonb_build_object('proven', count(*) filter (where c.state in ('proven', 'waived')), 'total', count(*))
        from private.story_proof(s.id) c),
      'marks', to_jsonb(coalesce(d.marks, '{}')))
    from public.agent_jobs j
    join public.products p on p.id = j.product_id
    join public.tasks t on t.id = j.task_id
    join public.stories s on s.id = t.story_id
    left join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
    where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiting_reviews(p_products uuid[])
 RETURNS TABLE(job_id uuid, waiting_since timestamp with time zone, hours integer, lines integer, frees_tasks integer, frees_jobs integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    with w as materialized (
      select j.id, j.task_id, t.story_id, coalesce(i.since, j.updated_at) as since, coalesce(j.additions + j.deletions, 0) as lines
      from public.agent_jobs j
      join public.products p on p.id = j.product_id and p.done_requires <> 'ci'
      join public.tasks t on t.id = j.task_id
      left join public.tasks_in_review i on i.task_id = j.task_id
      where j.product_id = any (p_products) and j.status = 'QUEUED' and j.phase = 'review'
    ), behind as (
      select w.id, d.blocked_id as task_id from w join public.task_dependencies d on d.blocker_id = w.task_id
      union
      select w.id, t.id
      from w join public.story_dependencies d on d.blocker_id = w.story_id and private.finishes_story(w.task_id)
      join public.tasks t on t.story_id = d.blocked_id
    ), freed as (
      select b.id, count(*)::integer as tasks, count(q.id)::integer as jobs
      from behind b
      join w on w.id = b.id
      join public.tasks t on t.id = b.task_id and t.status in ('TO_DO', 'FAILED')
      left join public.agent_jobs q on q.task_id = b.task_id and q.status = 'QUEUED'
      where not exists (
        select from private.task_blockers o
        where o.task_id = b.task_id and not o.resolved and o.blocker_id not in (w.task_id, w.story_id))
      group by b.id
    )
    select w.id, w.since, floor(extract(epoch from private.now() - w.since) / 3600)::integer, w.lines,
      coalesce(f.tasks, 0), coalesce(f.jobs, 0)
    from w left join freed f on f.id = w.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.wants_pull(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_job.branch is not null and p_job.head_sha is not null and p_job.merged_at is null and p_job.kind <> 'PLAN_CHAT'
    and (p_job.status = 'DONE' or p_job.status = 'QUEUED' and p_job.phase = 'review')
    and (exists (
      select from public.pulls p where p.product_id = p_job.product_id and p.branch = p_job.branch and p.state = 'open')
    or coalesce(p_job.finished_at, p_job.updated_at) > private.now() - interval '7 days' and not exists (
      select from public.pulls p where p.product_id = p_job.product_id and p.branch = p_job.branch));
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_products(p_user_id uuid, p_product_id uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select m.product_id from public.product_members m
    where m.user_id = p_user_id and m.role <> 'VIEWER' and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_gates private.job_gates;
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
  v_confined integer;
  v_following integer;
  v_able integer;
  v_repo_url text;
  v_written_by text;
begin
  select g.* into v_gates from private.job_gates g where g.id = p_job.id;
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and 'sandbox' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'repository' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and x.gates = '{}')
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (select private.worker_gates(v_gates, w.user_id, w.id, w.confinement <> 'none', w.also_repos) as gates) x
  where private.is_online(w.last_seen_at, w.stopped_at) and not x.gates && '{conversation,needs_other_worker}';

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can press "Allow my workers" on the members page, or name the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: the Connect page has the command.',
      'command', 'node backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent <agent>'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want to keep (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  v_repo_url := regexp_replace(v_gates.own_repo, '://[^/?#]*@', '://');
  v_written_by := (select u.username from public.tasks t join public.users u on u.id = t.repo_url_by where t.id = p_job.task_id);
  return case when v_following > 0 or v_confined = 0 then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_repo_url,
        ' (written by ' || v_written_by || ')', private.repository_advice(v_repo_url)),
      'repo_url', v_repo_url, 'written_by', v_written_by))
      else '[]' end;
end;
$function$;

CREATE OR REPLACE FUNCTION public.call_as(p_credential jsonb, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb, p_key text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_caller text := current_setting('role');
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_statement text;
  v_writes boolean;
  v_earlier text;
  v_answer json;
begin
  select c.p_statement, c.p_writes into v_statement, v_writes
  from private.build_call('authenticated', p_function, p_arguments) c;

  if v_writes and v_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  if v_writes and v_principal.scopes is not null then
    perform private.require_scope(v_principal.scopes, p_function);
  end if;

  if v_writes and p_key is not null then
    v_earlier := private.take_idempotency_key(v_principal.user_id, p_key,
      sha256(convert_to(p_function || p_arguments::text || coalesce(v_principal.product_ids::text, ''), 'UTF8')));
    if v_earlier is not null then
      perform private.refuse_former_member(v_principal.user_id, p_arguments);
      return json_build_object('answer', v_earlier, 'kept', true, 'replayed', true);
    end if;
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id))::text, true),
    set_config('backloom.token_products', coalesce(v_principal.product_ids::text, ''), true),
    set_config('role', 'authenticated', true);
  execute v_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true),
    set_config('backloom.token_products', '', true);
  if p_key is null then
    return v_answer;
  end if;
  if v_writes then
    perform private.keep_answer(v_principal.user_id, p_key, v_answer);
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_writes, 'replayed', false);
end;
$function$;

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_audience_known" CHECK ((audience = ANY (ARRAY['/mcp'::text, '/mcp/all'::text, '/mcp/worker'::text])));

ALTER TABLE "public"."oauth_codes" ADD CONSTRAINT "oauth_codes_audience_known" CHECK ((audience = ANY (ARRAY['/mcp'::text, '/mcp/all'::text, '/mcp/worker'::text])));

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE CASCADE;

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE "public"."products" ADD CONSTRAINT "products_branch_prefix_form" CHECK (((branch_prefix ~ '^[A-Za-z0-9._/-]{1,50}$'::text) AND (branch_prefix !~ '(^|/)[/.-]|[/.-](/|$)|\.\.|\.lock(/|$)'::text)));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_review_marks_form" CHECK (((jsonb_typeof(review_marks) = 'object'::text) AND (octet_length((review_marks)::text) <= 20000)));

ALTER TABLE "public"."spent_refresh_tokens" ADD CONSTRAINT "spent_refresh_tokens_next_length" CHECK ((char_length(next_tokens) <= 1000));

ALTER TABLE "public"."touched_paths" ADD CONSTRAINT "touched_paths_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE VIEW "private"."job_gates" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    author_worker_id,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    ( SELECT p.requires_sandbox
           FROM public.products p
          WHERE (p.id = j.product_id)) AS needs_sandbox,
    ( SELECT t.repo_url
           FROM (public.tasks t
             JOIN public.products p ON ((p.id = j.product_id)))
          WHERE ((t.id = j.task_id) AND (t.repo_url <> p.repo_url))) AS own_repo,
    array_remove(ARRAY[
        CASE
            WHEN (phase = 'review'::public.job_phase) THEN 'review'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT (r.status <> ALL (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status]))
               FROM public.sprint_runs r
              WHERE (r.id = j.sprint_run_id)) THEN 'paused'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT ((q.status = 'OPEN'::public.agent_question_status) AND ((q.on_expiry <> 'RECOMMENDED'::public.question_expiry) OR (q.expires_at > private.now())))
               FROM public.agent_questions q
              WHERE (q.id = j.parked_question_id)) THEN 'question'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (not_before > private.now()) THEN 'not_before'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (open_blockers > 0) THEN 'dependency'::text
            ELSE NULL::text
        END,
        CASE
            WHEN (NOT in_turn) THEN 'order'::text
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT (p.archived_at IS NOT NULL)
               FROM public.products p
              WHERE (p.id = j.product_id)) THEN 'archived'::text
            ELSE NULL::text
        END], NULL::text) AS gates
   FROM public.agent_jobs j
  WHERE (status = 'QUEUED'::public.agent_job_status);

CREATE OR REPLACE FUNCTION private.worker_gates(p_job private.job_gates, p_user_id uuid, p_worker_id uuid, p_is_confined boolean, p_also_repos jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array_remove(array[
    case when p_job.kind = 'PLAN_CHAT' and p_job.created_by is distinct from p_user_id then 'conversation' end,
    case when p_job.phase = 'verify' and p_job.author_worker_id = p_worker_id then 'needs_other_worker' end,
    case when p_job.needs_sandbox and not p_is_confined then 'sandbox' end,
    case when p_job.own_repo is not null and not private.is_followed(p_job.own_repo, p_also_repos) then 'repository' end
  ], null);
end;
$function$;

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    task_id,
    created_by,
    author_worker_id,
    phase,
    claim_rank,
    created_at,
    "position",
    in_turn,
    open_blockers,
    failure_class,
    needs_sandbox,
    own_repo,
    gates,
    g.*::private.job_gates AS job
   FROM private.job_gates g
  WHERE (in_turn AND (open_blockers = 0) AND (gates = '{}'::text[]));

CREATE VIEW "private"."product_detail_shape" WITH (security_invoker=true) AS  SELECT id,
    code,
    name,
    description,
    repo_url,
    definition_of_done,
    auto_pr,
    pr_strategy,
    done_requires,
    dependency_release,
    owner_id,
    to_char((archived_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS archived_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    requires_sandbox,
    may_reach,
    plan_first,
    pull_requests,
    landing,
    agent_items,
    version,
    forge_issue_label,
    branch_prefix,
    review_marks
   FROM public.products p;

CREATE VIEW "private"."works" WITH (security_invoker=true) AS  SELECT j.id,
    j.product_id,
    j.task_id,
    j.kind,
    j.status,
    j.sprint_run_id,
    j.branch,
    j.base_sha,
    j.head_sha,
        CASE
            WHEN ((j.evidence ->> 'commits'::text) ~ '^\d{1,6}$'::text) THEN ((j.evidence ->> 'commits'::text))::integer
            ELSE NULL::integer
        END AS commits,
    j.pushed_at,
    j.merged_at,
    j.finished_at,
    j.created_at,
    COALESCE(j.finished_at, private.ended_before_review(j.*)) AS ended_at,
    ((j.status = 'DONE'::public.agent_job_status) OR (j.phase = 'review'::public.job_phase)) AS was_handed_in
   FROM public.agent_jobs j
  WHERE (j.kind <> 'PLAN_CHAT'::public.agent_job_kind)
UNION ALL
 SELECT p.id,
    p.product_id,
    p.task_id,
    p.kind,
    p.status,
    p.sprint_run_id,
    p.branch,
    p.base_sha,
    p.head_sha,
    p.commits,
    p.pushed_at,
    p.merged_at,
    p.finished_at,
    p.created_at,
    p.finished_at AS ended_at,
    (p.status = 'DONE'::public.agent_job_status) AS was_handed_in
   FROM public.past_jobs p;

CREATE OR REPLACE FUNCTION private.branch_head(p_job private.works)
 RETURNS private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
begin
  if p_job.status in ('DONE', 'SKIPPED') and p_job.head_sha is not null then
    return p_job;
  end if;
  select j.* into v_job from private.works j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_job.branch and j.status in ('DONE', 'SKIPPED')
    and j.head_sha is not null and j.finished_at <= p_job.finished_at
  order by j.finished_at desc, j.id limit 1;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.jobs_of_story(p_story_id uuid)
 RETURNS SETOF private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.* from public.tasks t join private.works j on j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION'
    where t.story_id = p_story_id
    union all
    select j.* from (
      select distinct e.sprint_run_id from public.tasks t join public.task_executions e on e.task_id = t.id
      where t.story_id = p_story_id
    ) r
    join private.works j on j.sprint_run_id = r.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION';
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_work(p_job_id uuid)
 RETURNS private.works
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_work private.works;
begin
  select w.* into v_work from private.works w where w.id = p_job_id;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_work.product_id);
  perform private.lock_product(v_work.product_id);
  perform private.require_product_write(v_work.product_id);
  select w.* into v_work from private.works w where w.id = p_job_id;
  return v_work;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_work(p_task_id uuid)
 RETURNS private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
  v_batch private.works;
begin
  select j.* into v_job from private.works j
  where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  select j.* into v_batch
  from public.task_executions e
  join private.works j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
  where e.task_id = p_task_id and e.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  if v_job.id is null or v_batch.created_at > v_job.created_at then
    v_job := v_batch;
  end if;
  if v_job.merged_at is not null
    or (v_job.status in ('DONE', 'SKIPPED') and (v_job.head_sha is null or v_job.head_sha = v_job.base_sha)) then
    return null;
  end if;
  return v_job;
end;
$function$;

CREATE INDEX agent_jobs_review_idx ON public.agent_jobs USING btree (product_id) WHERE ((status = 'QUEUED'::public.agent_job_status) AND (phase = 'review'::public.job_phase));

CREATE INDEX idempotency_keys_user_idx ON public.idempotency_keys USING btree (user_id, created_at);

CREATE INDEX past_jobs_product_id_idx ON public.past_jobs USING btree (product_id);

CREATE INDEX past_jobs_sprint_run_id_idx ON public.past_jobs USING btree (sprint_run_id);

CREATE INDEX past_jobs_task_id_idx ON public.past_jobs USING btree (task_id);

CREATE TRIGGER _890_follow_delete AFTER DELETE ON public.agent_jobs FOR EACH ROW WHEN (((old.sprint_run_id IS NOT NULL) AND (old.status = ANY (ARRAY['QUEUED'::public.agent_job_status, 'CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])))) EXECUTE FUNCTION private.tg_agent_jobs__follow();

CREATE TRIGGER _890_follow_insert AFTER INSERT ON public.agent_jobs FOR EACH ROW WHEN (((new.task_id IS NOT NULL) AND (new.status <> ALL (ARRAY['QUEUED'::public.agent_job_status, 'CANCELLED'::public.agent_job_status])))) EXECUTE FUNCTION private.tg_agent_jobs__follow();

CREATE TRIGGER _890_follow_update AFTER UPDATE OF status, attempt, phase ON public.agent_jobs FOR EACH ROW WHEN (((new.status <> old.status) OR (new.attempt <> old.attempt) OR (new.phase <> old.phase))) EXECUTE FUNCTION private.tg_agent_jobs__follow();

CREATE TRIGGER _891_settle_merged AFTER UPDATE OF merged_at ON public.agent_jobs FOR EACH ROW WHEN ((new.merged_at IS DISTINCT FROM old.merged_at)) EXECUTE FUNCTION private.tg_agent_jobs__settle_merged();

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.ideas FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{user_id}');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.ideas REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('user_id', '10000', 'ideas of this account, which is the limit. Use one that you have archived for the new one.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.labels REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '200', 'labels of this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _592_settle_merged AFTER UPDATE OF merged_at ON public.past_jobs FOR EACH ROW WHEN ((new.merged_at IS DISTINCT FROM old.merged_at)) EXECUTE FUNCTION private.tg_agent_jobs__settle_merged();

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.pbis FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{idea_id,is_intake}');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.pbis REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '100000', 'PBIs in this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.products FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{owner_id,landing_since}');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.products REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((auth.uid() IS NOT NULL)) EXECUTE FUNCTION private.tg_any__limit_rows('owner_id', '200', 'products that you own, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.push_subscriptions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('user_id', '50', 'browsers that get your messages, which is the limit. Turn messages off in one that you no longer use.');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.saved_views REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '1000', 'views of this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.sprints FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{started_at,completed_at}');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.sprints REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '10000', 'sprints in this product, which is the limit. Go on in another product.');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.stories FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{in_triage,is_template,template_id,external_id,external_url,origin}');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.stories REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '100000', 'stories in this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _950_follow_delete AFTER DELETE ON public.stories REFERENCING OLD TABLE AS old_stories FOR EACH STATEMENT EXECUTE FUNCTION private.after_story_change();

CREATE TRIGGER _950_follow_insert AFTER INSERT ON public.stories REFERENCING NEW TABLE AS new_stories FOR EACH STATEMENT EXECUTE FUNCTION private.after_story_change();

CREATE TRIGGER _950_follow_update AFTER UPDATE ON public.stories REFERENCING OLD TABLE AS old_stories NEW TABLE AS new_stories FOR EACH STATEMENT EXECUTE FUNCTION private.after_story_change();

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.story_logs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('story_id', '10000', 'log entries of this story, which is the limit. Go on in another story.');

CREATE TRIGGER _390_raise_version BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION private.tg_any__raise_version('{repo_url_by,external_id}');

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '100000', 'tasks in this product, which is the limit. Delete some that are not needed.');

CREATE TRIGGER _950_follow_delete AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS old_tasks FOR EACH STATEMENT EXECUTE FUNCTION private.tg_tasks__follow();

CREATE TRIGGER _950_follow_insert AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS new_tasks FOR EACH STATEMENT EXECUTE FUNCTION private.tg_tasks__follow();

CREATE TRIGGER _950_follow_update AFTER UPDATE OF status, story_id ON public.tasks FOR EACH ROW WHEN (((new.status <> old.status) OR (new.story_id <> old.story_id))) EXECUTE FUNCTION private.tg_tasks__follow();

CREATE TRIGGER _940_limit_rows AFTER INSERT ON public.webhooks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__limit_rows('product_id', '50', 'webhooks of this product, which is the limit. Delete some that are not needed.');

CREATE POLICY "past_jobs_select" ON "public"."past_jobs" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "touched_paths_service" ON "public"."touched_paths" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON COLUMN "public"."agent_jobs"."first_seen_at" IS 'When a person first opened its changes.';

COMMENT ON COLUMN "public"."agent_jobs"."judged_at" IS 'When the first verdict came.';

COMMENT ON COLUMN "public"."job_diffs"."marks" IS 'Facts that ask for a careful look, by private.review_marks.';

COMMENT ON COLUMN "public"."products"."branch_prefix" IS 'Where the names of the branches of its work begin: some remotes refuse others.';

COMMENT ON COLUMN "public"."products"."review_marks" IS 'Of marks of a review: patterns of paths that replace the default ones.';

COMMENT ON COLUMN "public"."stories"."is_template" IS 'It recurs (recurrences) and is never worked on itself: set aside like what waits in triage, with the status TEMPLATE.';

COMMENT ON COLUMN "public"."stories"."label_ids" IS 'Its labels (labels), in the order of their names.';

COMMENT ON COLUMN "public"."tasks"."label_ids" IS 'Its labels (labels), in the order of their names.';

COMMENT ON TABLE "public"."past_jobs" IS 'What stays of the work of deleted agent jobs (docs/worker.md, Where a run starts).';

COMMENT ON TABLE "public"."touched_paths" IS 'Paths that attempts of the product have touched (docs/review.md).';

REVOKE ALL ON FUNCTION "operations"."count_file_bytes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."count_file_bytes"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_pull_texts"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_pull_texts"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."list_reviews"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."list_reviews"(uuid, text, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."make_story_tasks"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."make_story_tasks"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."note_first_look"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."note_first_look"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."read_file"(uuid, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."read_file"(uuid, integer, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."refresh_oauth_token"(text, text, text, jsonb, text, text, text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."resume_sprint"(uuid, boolean, boolean, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."resume_sprint"(uuid, boolean, boolean, boolean, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."adds_secret"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."adds_secret"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."advance_branch_queue"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."advance_branch_queue"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."advance_task"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."advance_task"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."after_job_change"(public.agent_jobs, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."after_job_change"(public.agent_jobs, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."after_story_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."after_story_change"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."after_task_change"(public.tasks, public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."after_task_change"(public.tasks, public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."answer_spent_refresh_token"(bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."answer_spent_refresh_token"(bytea, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."begin_attempt"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_attempt"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."branch_head"(private.works) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."branch_head"(private.works) TO "postgres";

REVOKE ALL ON FUNCTION "private"."branch_prefix_of"(text, public.products) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."branch_prefix_of"(text, public.products) TO "postgres";

REVOKE ALL ON FUNCTION "private"."deletes_tests"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deletes_tests"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."derive_pbis"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."derive_pbis"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."derive_stories"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."derive_stories"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_attempt"(public.agent_jobs, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_attempt"(public.agent_jobs, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_reviewed_run"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_reviewed_run"(public.sprint_runs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."ended_before_review"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ended_before_review"(public.agent_jobs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."expects_ci"(public.landings) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."expects_ci"(public.landings) TO "postgres";

REVOKE ALL ON FUNCTION "private"."exported"(jsonb, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."exported"(jsonb, text[]) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."finish_elsewhere"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finish_elsewhere"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fits_pattern"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fits_pattern"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."gate_reasons"(public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."gate_reasons"(public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."hear_worker"(uuid, jsonb, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."hear_worker"(uuid, jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."import_relations"(uuid, jsonb, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_relations"(uuid, jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."insert_rows"(regclass, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."insert_rows"(regclass, jsonb) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."is_own_address"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_own_address"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_run_unfinished"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_run_unfinished"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_test_path"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_test_path"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_end_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_end_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_states"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_states"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."jobs_of_story"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."jobs_of_story"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_past"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_past"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_in_review"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_in_review"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_work"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_work"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid, uuid[], boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid, uuid[], boolean, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."notify_review"(public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."notify_review"(public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."output_bytes"(public.job_outputs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."output_bytes"(public.job_outputs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pause_until"(timestamp with time zone, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pause_until"(timestamp with time zone, integer, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pbi_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pbi_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pull_digest"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pull_digest"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pull_said"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pull_said"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pull_title"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pull_title"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."rate_limit"(text) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."rate_limit"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_former_member"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_former_member"(uuid, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."reject_after_run"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reject_after_run"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_noted"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."release_noted"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_file_room"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_file_room"(uuid, integer) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."require_keys_left"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_keys_left"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."review_marks"(public.agent_jobs, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_marks"(public.agent_jobs, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_waits"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_waits"(public.sprint_runs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."set_fields"(regclass, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_fields"(regclass, uuid, jsonb) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."set_merged"(uuid[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_merged"(uuid[], timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_messages"(public.agent_jobs, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_messages"(public.agent_jobs, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_task_waiting"(public.tasks, public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_task_waiting"(public.tasks, public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."stop_failed_run"(public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stop_failed_run"(public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tasks_of_work"(public.agent_job_kind, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tasks_of_work"(public.agent_job_kind, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tasks_to_start"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tasks_to_start"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tell_triage"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tell_triage"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__follow"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__follow"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__limit_rows"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__limit_rows"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__follow"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__follow"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."time_text"(timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."time_text"(timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."touches"(jsonb, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."touches"(jsonb, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unmerged_work"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unmerged_work"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."waiting_review_json"(uuid, timestamp with time zone, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiting_review_json"(uuid, timestamp with time zone, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."waiting_reviews"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiting_reviews"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."wants_pull"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."wants_pull"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_gates"(private.job_gates, uuid, uuid, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_gates"(private.job_gates, uuid, uuid, boolean, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_products"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_products"(uuid, uuid) TO "postgres";

GRANT SELECT ON TABLE "public"."past_jobs" TO "authenticated";

GRANT ALL ON TABLE "public"."past_jobs" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."past_jobs" TO "service_role";

REVOKE ALL ("branch_prefix") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("branch_prefix"), UPDATE ("branch_prefix") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("review_marks") ON TABLE "public"."products" FROM "authenticated";

GRANT UPDATE ("review_marks") ON TABLE "public"."products" TO "authenticated";

GRANT ALL ON TABLE "public"."touched_paths" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."touched_paths" TO "service_role";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT ALL ON TABLE "private"."job_gates" TO "postgres";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."works" TO "authenticated";

GRANT ALL ON TABLE "private"."works" TO "postgres";

CREATE INDEX ideas_search_idx ON public.ideas USING gin (private.scoped_words(user_id, code, title, description)) WITH (fastupdate=off);

CREATE INDEX pbis_search_idx ON public.pbis USING gin (private.scoped_words(product_id, code, title, description)) WITH (fastupdate=off);

CREATE INDEX stories_search_idx ON public.stories USING gin (private.scoped_words(product_id, code, title, description)) WITH (fastupdate=off);

CREATE INDEX tasks_search_idx ON public.tasks USING gin (private.scoped_words(product_id, code, title, description)) WITH (fastupdate=off);

CREATE TABLE "public"."job_guides" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "head_sha" text NOT NULL, "chapters" jsonb NOT NULL, CONSTRAINT "job_guides_chapters_list" CHECK (((jsonb_typeof(chapters) = 'array'::text) AND (octet_length((chapters)::text) <= 1000000))), CONSTRAINT "job_guides_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "job_guides_pkey" PRIMARY KEY (job_id, attempt));

ALTER TABLE "public"."job_guides" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION operations.get_job_guide(p_job_id uuid, p_attempt integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  return (
    select json_build_object('attempt', d.attempt, 'head_sha', d.head_sha, 'files', d.files, 'chapters', g.chapters, 'proof', (
      select left(string_agg(concat_ws(' ', e.command, e.excerpt), ' ' order by e.seq), 100000) from public.evidence e where e.job_id = v_job.id))
    from public.job_diffs d
    left join public.job_guides g on g.job_id = d.job_id and g.attempt = d.attempt and g.head_sha = d.head_sha
    where d.job_id = p_job_id and (p_attempt is null or d.attempt = p_attempt)
    order by d.attempt desc limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.save_job_guide(p_job_id uuid, p_attempt integer, p_head_sha text, p_chapters jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_diff', p_job_id::text);
  insert into public.job_guides as g (job_id, attempt, product_id, head_sha, chapters)
  values (p_job_id, p_attempt, v_job.product_id, p_head_sha, p_chapters)
  on conflict (job_id, attempt) do update set head_sha = excluded.head_sha, chapters = excluded.chapters;
  return 'null'::json;
end;
$function$;

ALTER TABLE "public"."job_guides" ADD CONSTRAINT "job_guides_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_guides" ADD CONSTRAINT "job_guides_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE INDEX job_guides_product_id_idx ON public.job_guides USING btree (product_id);

CREATE POLICY "job_guides_service" ON "public"."job_guides" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON TABLE "public"."job_guides" IS 'Chapters in which agents tell their changes (docs/review.md).';

REVOKE ALL ON FUNCTION "operations"."get_job_guide"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_job_guide"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."save_job_guide"(uuid, integer, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."save_job_guide"(uuid, integer, text, jsonb) TO "authenticated", "postgres";

GRANT ALL ON TABLE "public"."job_guides" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_guides" TO "service_role";

CREATE OR REPLACE FUNCTION private.require_reviewable(p_job public.agent_jobs, p_verdict text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_earlier public.job_reviews;
begin
  select r.* into v_earlier from public.job_reviews r
  where r.job_id = p_job.id and r.attempt = p_job.attempt
  order by r.created_at desc, r.id limit 1;
  if v_earlier.id is not null and not (v_earlier.verdict = 'approve' and p_verdict = 'approve' and v_earlier.author_id = auth.uid()) then
    perform private.refuse(409, format(case v_earlier.verdict
        when 'approve' then '%s has already approved attempt %s. Create a task for further changes.'
        else '%s has already requested changes to attempt %s. Review them when they arrive.' end,
      v_earlier.author, v_earlier.attempt), jsonb_build_object('verdict', v_earlier.verdict));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    perform private.refuse(409, 'A worker is working on this job. Review it when the attempt has ended.');
  end if;
  if p_job.attempt = 0 or (p_job.status = 'QUEUED' and p_job.phase <> 'review') then
    perform private.refuse(409, 'This job is waiting for a worker. Review it when an attempt has ended.');
  end if;
  if p_verdict = 'approve' and p_job.status in ('FAILED', 'CANCELLED') then
    perform private.refuse(409, format('This job is %s: there is nothing to approve.', lower(p_job.status::text)));
  end if;
end;
$function$;
