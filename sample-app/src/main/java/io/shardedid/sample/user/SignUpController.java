package io.shardedid.sample.user;

import java.util.Objects;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/**
 * The pages that sign a visitor up and out.
 */
@Controller
class SignUpController {

    private final SignUp signUp;

    SignUpController(SignUp signUp) {
        this.signUp = signUp;
    }

    /** With a photo, the visitor wanted to like it, and is told so. */
    @GetMapping("/sign-up")
    ModelAndView form(@RequestParam(required = false) @Nullable Long photo) {
        return new ModelAndView("sign-up", "form", new SignUpForm(null)).addObject("photo", photo);
    }

    @PostMapping("/sign-up")
    ModelAndView signUp(@Valid @ModelAttribute("form") SignUpForm form, BindingResult result,
            @RequestParam(required = false) @Nullable Long photo, HttpServletRequest request) {
        if (result.hasErrors()) {
            ModelAndView again = new ModelAndView("sign-up", result.getModel()).addObject("photo", photo);
            again.setStatus(HttpStatus.BAD_REQUEST);
            return again;
        }
        this.signUp.as(Objects.requireNonNull(form.name()), request);
        return new ModelAndView((photo != null) ? "redirect:/photos/" + photo : "redirect:/");
    }

    @PostMapping("/sign-out")
    String signOut(@Nullable HttpSession session) {
        if (session != null) {
            session.invalidate();
        }
        return "redirect:/";
    }

}
